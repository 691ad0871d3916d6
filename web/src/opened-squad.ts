import { type ReadonlySignal, signal } from "@preact/signals";
import type { ParameterOverrides } from "asi-convert/metrics";
import type { OpenFiles } from "./parts/open-files.js";
import type { Workspace } from "./recording/workspace.js";
import type { OpenSquad, SquadActions } from "./squad/squad-part.js";
import type { StoredSession } from "./squad/stored-session.js";
import { type FoundSquad, findKept, removeClosed } from "./view/kept-squad.js";
import { goToViewer, leaveViewerAddress, mayReplaceSquad } from "./view/route.js";
import { setPlayer } from "./view/set-player.js";
import type { Settings } from "./view/settings.js";
import { hasLeft, signedInAs } from "./view/signed-in.js";
import { leaveStart } from "./view/start-entry.js";
import { isOutdated } from "./view/use-loaded.js";

type SquadPart = typeof import("./squad/squad-part.js");

/** The open squad with its part of the page, or null if there is none. */
export const openedSquad = signal<(OpenSquad & { part: SquadPart }) | null>(null);

/**
 * The squad that the start page offers: that of this tab, or the last used one that this browser stores for the user and no tab shows. Null if
 * there is none or a squad is open.
 */
export const keptSquad = signal<FoundSquad | null>(null);

/**
 * Looks for the stored squads of this browser. A squad whose files were opened with an account is visible only to this account. It is closed
 * and removed after the account has left.
 */
export async function findKeptSquad(): Promise<void> {
  closeLeft();
  const isOwn = ({ account }: FoundSquad) => account === null || account === signedInAs.peek();
  const shown = keptSquad.peek();
  // reading the folders takes a moment
  if (shown !== null && !isOwn(shown)) keptSquad.value = null;
  const kept = await findKept();
  const left = kept.filter(({ account }) => hasLeft(account));
  await Promise.all(left.map(({ id }) => removeClosed(id)));
  if (openedSquad.peek() === null) keptSquad.value = kept.find(isOwn) ?? null;
}

/** Closes and removes the open squad if its account has left. */
function closeLeft(): void {
  const open = openedSquad.peek();
  if (hasLeft(open?.keeper?.account ?? null)) open?.session.close();
}

export async function removeKeptSquad(): Promise<void> {
  const kept = keptSquad.peek();
  if (kept === null) return;
  keptSquad.value = null;
  await removeClosed(kept.id);
  await findKeptSquad();
}

interface Entry {
  /** Name of the player whose recordings replace the squad. */
  player?: string;
}

const entryNow = (): Entry => (history.state as Entry | null) ?? {};
const playerShown = signal<string | null>(null);

addEventListener("popstate", () => {
  playerShown.value = openedSquad.peek() === null ? null : (entryNow().player ?? null);
});

/**
 * The name of the player whose recordings replace the squad, empty for recordings that the user has opened instead, or null while the squad
 * is visible. "Back" leads to the squad.
 */
export const shownPlayer: ReadonlySignal<string | null> = playerShown;

async function loadPart(): Promise<SquadPart | null> {
  try {
    return await import("./squad/squad-part.js");
  } catch {
    isOutdated.value = true;
    return null;
  }
}

/** Shows a squad. Files are added without a pause, because the page loads further parts of a squad that reads no files. */
function show(workspace: Workspace, open: OpenSquad & { part: SquadPart }): void {
  replace(workspace, open);
  keptSquad.value = null;
  leaveStart();
}

/**
 * Returns whether to show a squad. The user can keep an open squad with unsaved changes, and the account can leave in the meantime; then the
 * new one is closed.
 */
async function mayShow({ session, keeper }: OpenSquad): Promise<boolean> {
  const may = (await mayReplaceSquad()) && !hasLeft(keeper?.account ?? null);
  if (!may) session.close();
  return may;
}

function replace(workspace: Workspace, open: OpenSquad & { part: SquadPart }): void {
  for (const { id } of workspace.opened.peek()) workspace.close(id);
  openedSquad.peek()?.session.close();
  openedSquad.value = open;
  playerShown.value = null;
}

/**
 * Shows a session of the service at its address. The address stays until the user opens other content.
 * @returns false if the user keeps the open squad, which has unsaved changes
 */
export async function showStored(
  workspace: Workspace,
  settings: Settings,
  stored: StoredSession,
  address: string,
): Promise<boolean> {
  const part = await loadPart();
  if (part === null) return true;
  const actions = actionsOn(workspace, (files) =>
    workspace.openRanges(files.flatMap(({ name }) => stored.ranges.get(name) ?? [])),
  );
  const open = { ...part.storedSquad(stored, settings, actions), part };
  if (!(await mayShow(open))) return false;
  replace(workspace, open);
  goToViewer(address);
  const end = stored.follow(open.session);
  const stop = openedSquad.subscribe((now) => {
    if (now === open) return;
    leaveViewerAddress(now !== null);
    stop();
    end();
  });
  await open.session.opened.addRanges();
  return true;
}

/** Closes a session of the service after the user has signed out. */
export function closeStored(): void {
  const open = openedSquad.peek();
  if (open !== null && open.session.stored !== null) open.session.close();
}

function actionsOn(
  workspace: Workspace,
  openFiles: (files: readonly File[]) => Promise<boolean> = (files) => workspace.open(files),
): SquadActions {
  let isOpening = false;
  return {
    async onPlayer({ name, recordings, player }, zones) {
      // a second press during reading would add the recordings of a second player
      if (isOpening) return;
      isOpening = true;
      let own: ParameterOverrides;
      try {
        own = await workspace.reader.ask("ownParameters", { player });
        // the recordings of the player who was shown before may still be open
        if (!(await openFiles(recordings.map(({ file }) => file)))) return;
      } finally {
        isOpening = false;
      }
      for (const recording of workspace.opened.peek()) setPlayer(recording, player, zones, own);
      history.pushState({ ...entryNow(), player: name }, "");
      playerShown.value = name;
    },
    onClose(session) {
      const open = openedSquad.peek();
      // the user has declined to show the session
      if (open?.session !== session) return;
      openedSquad.value = null;
      playerShown.value = null;
      // another squad may be stored
      open.keeper?.end().then(findKeptSquad);
    },
  };
}

/** Shows the stored squad of this browser. */
export async function showKeptSquad(workspace: Workspace, settings: Settings): Promise<void> {
  const kept = keptSquad.peek();
  const part = kept === null ? null : await loadPart();
  if (kept === null || part === null || !(await mayReplaceSquad())) return;
  // its account may have signed out in the meantime
  if (keptSquad.peek()?.id !== kept.id) return;
  const restored = await part.restoreSquad(kept.id, settings, actionsOn(workspace));
  // another tab shows the squad or has removed it
  if (restored === null) return findKeptSquad();
  const { whenRead, ...open } = restored;
  show(workspace, { ...open, part });
  // The account can leave while the files are opened.
  closeLeft();
  await whenRead;
}

/** Shows the squad of a generated match. */
export async function showDemonstration(workspace: Workspace, settings: Settings): Promise<void> {
  const part = await loadPart();
  if (part === null) return;
  const reading = { fileName: "the demonstration", share: 0 };
  workspace.reading.value = reading;
  try {
    const { files, ...open } = await part.startDemonstration(settings, actionsOn(workspace), (share) => {
      workspace.reading.value = { ...reading, share };
    });
    const isShown = await mayShow(open);
    workspace.reading.value = null;
    if (!isShown) return;
    show(workspace, { ...open, part });
    await open.session.opened.add(files);
  } finally {
    workspace.reading.value = null;
  }
}

/** Opens selected files. Recordings of the same time open as a squad, others separately. */
export function filesOpener(workspace: Workspace, settings: Settings): OpenFiles {
  const openOthers = async (files: readonly File[], isAdding = false) => {
    if (!(await workspace.open(files, { isAdding })) || playerShown.peek() === null) return;
    history.replaceState({ ...entryNow(), player: "" }, "");
    playerShown.value = "";
  };
  return async (files, { isAdding = false } = {}) => {
    const open = openedSquad.peek();
    if (open !== null && playerShown.peek() === null) {
      leaveStart();
      await open.session.opened.add(files);
      return;
    }
    if (isAdding || files.length < 2) return openOthers(files, isAdding);
    const part = await loadPart();
    if (part === null) return;
    const started = await part.startSquad(files, settings, actionsOn(workspace));
    if (started === null) return openOthers(files);
    if (!(await mayShow(started))) return;
    show(workspace, { ...started, part });
    await started.session.opened.add(files);
  };
}
