import { type ReadonlySignal, signal } from "@preact/signals";
import type { OpenFiles } from "./parts/open-files.js";
import type { Workspace } from "./recording/workspace.js";
import type { SquadSession } from "./squad/squad-part.js";
import type { Settings } from "./view/settings.js";
import { leaveStart } from "./view/start-entry.js";
import { isOutdated } from "./view/use-loaded.js";

type SquadPart = typeof import("./squad/squad-part.js");

/** The squad that is open, with the part of the page that shows it; null for none. */
export const openedSquad = signal<{ part: SquadPart; session: SquadSession } | null>(null);

interface Entry {
  /** Whether a player of the squad that is open stands in its place. */
  isPlayer?: boolean;
}

const entryNow = (): Entry => (history.state as Entry | null) ?? {};
const playerShown = signal(false);

addEventListener("popstate", () => {
  playerShown.value = entryNow().isPlayer === true && openedSquad.peek() !== null;
});

/** Whether a player of the squad is shown in place of it. "Back" leads to the squad. */
export const isPlayerShown: ReadonlySignal<boolean> = playerShown;

/** Opens what the user chooses: recordings of one time as a squad, others as they were opened before. */
export function filesOpener(workspace: Workspace, settings: Settings): OpenFiles {
  const onPlayer = async (files: readonly File[]) => {
    await workspace.open(files);
    if (workspace.opened.peek().length === 0) return;
    history.pushState({ ...entryNow(), isPlayer: true }, "");
    playerShown.value = true;
  };
  return async (files, { isAdding = false } = {}) => {
    const open = openedSquad.peek();
    if (open !== null && !playerShown.peek()) {
      leaveStart();
      await open.session.add(files);
      return;
    }
    if (isAdding || files.length < 2) {
      await workspace.open(files, { isAdding });
      return;
    }
    const part = await import("./squad/squad-part.js").catch(() => {
      isOutdated.value = true;
      return null;
    });
    if (part === null) return;
    const session = await part.startSquad(files, settings, {
      onPlayer,
      onClose: () => {
        openedSquad.value = null;
        playerShown.value = false;
      },
    });
    if (session === null) {
      await workspace.open(files);
      return;
    }
    for (const { id } of workspace.opened.peek()) workspace.close(id);
    openedSquad.peek()?.session.close();
    openedSquad.value = { part, session };
    playerShown.value = false;
    leaveStart();
    await session.add(files);
  };
}
