/** The part of the page that is loaded when the user opens recordings of the same time. */
import { findSessions } from "asi-convert/squad";
import type { Settings } from "../view/settings.js";
import { zoneName } from "../view/times.js";
import { isOutdated } from "../view/use-loaded.js";
import type { Keeper } from "./keeper.js";
import { readSheetFile } from "./squad-file.js";
import { SquadButtons, SquadHeading, squadTitle } from "./squad-heading.js";
import { type SquadActions, SquadSession } from "./squad-session.js";
import { SquadView } from "./squad-view.js";
import type { StoredSession } from "./stored-session.js";
import { SquadWorkers } from "./workers.js";

export type { SquadActions, SquadSession };
export { SquadButtons, SquadHeading, SquadView, squadTitle };

/** An open squad, with the object that stores it. */
export interface OpenSquad {
  session: SquadSession;
  /** The object that stores the squad. It is null for a session of the service, and if the page is outdated. */
  keeper: Keeper | null;
}

async function loadKeeping() {
  try {
    return await import("./keep-part.js");
  } catch {
    isOutdated.value = true;
    return null;
  }
}

/**
 * Starts a squad if two of the files were recorded at the same time, or if one of them is a roster or a file of periods.
 *
 * @returns null for other files, which are not a squad
 */
export async function startSquad(
  files: readonly File[],
  settings: Settings,
  actions: SquadActions,
): Promise<OpenSquad | null> {
  const workers = new SquadWorkers();
  const keeping = loadKeeping();
  const sheets = await Promise.all(files.map(readSheetFile));
  const isSheet = (i: number) => typeof sheets[i] === "object" && sheets[i] !== null;
  const others = files.filter((_, i) => !isSheet(i));
  const isSquad = others.length < files.length || (await haveOneTime(others, workers));
  if (isSquad) {
    const session = new SquadSession(settings, workers, actions);
    return { session, keeper: await keeperOf(session, keeping) };
  }
  workers.end();
  return null;
}

/** Opens a squad that this browser stores. Returns null as `restoreKept`, and if the page is outdated. */
export async function restoreSquad(id: string, settings: Settings, actions: SquadActions) {
  const keeping = await loadKeeping();
  const open = () => new SquadSession(settings, new SquadWorkers(), actions);
  return keeping === null ? null : keeping.restoreKept(id, open);
}

/** Opens a session of the service. The method `addRanges` of the session then reads it. */
export const storedSquad = (stored: StoredSession, settings: Settings, actions: SquadActions): OpenSquad => ({
  session: new SquadSession(settings, new SquadWorkers(), actions, stored),
  keeper: null,
});

/** Generates the recordings of a match, and starts a squad with them. */
export async function startDemonstration(
  settings: Settings,
  actions: SquadActions,
  onProgress: (share: number) => void,
): Promise<OpenSquad & { files: readonly File[] }> {
  const workers = new SquadWorkers();
  const keeping = loadKeeping();
  const files = await workers.demoFiles(zoneName(settings.zone.peek()), onProgress);
  const session = new SquadSession(settings, workers, actions);
  return { session, keeper: await keeperOf(session, keeping), files };
}

async function keeperOf(
  session: SquadSession,
  loading: ReturnType<typeof loadKeeping>,
): Promise<Keeper | null> {
  const keeping = await loading;
  return keeping && new keeping.Keeper(session);
}

async function haveOneTime(files: readonly File[], workers: SquadWorkers): Promise<boolean> {
  const extents = (await workers.peek(files)).filter((extent) => extent !== null);
  // copies of a recording count once
  const different = new Map(extents.map((extent) => [JSON.stringify(extent), extent]));
  return findSessions([...different.values()]).some((session) => session.length > 1);
}
