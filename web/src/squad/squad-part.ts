/** What the page loads when recordings of one time are opened. */
import { findSessions } from "asi-convert/squad";
import type { Settings } from "../view/settings.js";
import { readSheetFile } from "./squad-file.js";
import { SquadButtons, SquadHeading, squadTitle } from "./squad-heading.js";
import { type SquadActions, SquadSession } from "./squad-session.js";
import { SquadView } from "./squad-view.js";
import { SquadWorkers } from "./workers.js";

export type { SquadSession };
export { SquadButtons, SquadHeading, SquadView, squadTitle };

/**
 * Begins a squad for files of which two were recorded at the same time, or that have a roster or periods among them.
 *
 * @returns null for other files: they are no squad
 */
export async function startSquad(
  files: readonly File[],
  settings: Settings,
  actions: SquadActions,
): Promise<SquadSession | null> {
  const workers = new SquadWorkers();
  const sheets = await Promise.all(files.map((file) => readSheetFile(file).catch(() => null)));
  const others = files.filter((_, i) => sheets[i] === null);
  const isSquad = others.length < files.length || (await haveOneTime(others, workers));
  if (isSquad) return new SquadSession(settings, workers, actions);
  workers.end();
  return null;
}

async function haveOneTime(files: readonly File[], workers: SquadWorkers): Promise<boolean> {
  const extents = (await workers.peek(files)).filter((extent) => extent !== null);
  return findSessions(extents).some((session) => session.length > 1);
}
