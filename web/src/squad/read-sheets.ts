import type { PeriodsContext, Roster, SessionPeriod } from "asi-convert/squad";
import type { SheetProblem } from "asi-convert/squad-sheets";
import type { SheetFile } from "./squad-file.js";

/** The content of a roster or periods, with its problems. */
export interface ReadSheet<Content> {
  fileName: string;
  content: Content;
  problems: readonly SheetProblem[];
}

type NamedSheet = SheetFile & { fileName: string };

/** @param trackers assigned by the user, as serial numbers by the names of the players in the roster */
export function rosterIn(
  { fileName, bytes, reader }: NamedSheet,
  trackers: ReadonlyMap<string, string>,
): ReadSheet<Roster> & { reader: SheetFile["reader"] } {
  const { roster, problems } = reader.readRoster(bytes);
  const players = roster.players.map((player) => {
    const serial = trackers.get(player.name);
    return serial === undefined ? player : { ...player, serials: [...player.serials, serial] };
  });
  return { fileName, content: { players }, problems, reader };
}

export function periodsIn(
  { fileName, bytes, reader }: NamedSheet,
  context: PeriodsContext,
): ReadSheet<readonly SessionPeriod[]> {
  const { periods, problems } = reader.readPeriods(bytes, context);
  return { fileName, content: periods, problems };
}
