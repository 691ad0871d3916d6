import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { matchNote } from "asi-convert/squad-report";
import type { Queries } from "../../store/connection/database.js";
import { periodRowsBySession, periodsOfRows } from "./period-rows.js";

/** Number of matches whose periods one statement reads. Each can have 200 rows. */
const READ_AT_A_TIME = 50;

/** Returns what the figures of matches lack, by session; see `matchNote`. */
export async function matchNotesOf(
  queries: Queries,
  matches: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  const notes = new Map<number, string | null>();
  for (let at = 0; at < matches.length; at += READ_AT_A_TIME) {
    const some = matches.slice(at, at + READ_AT_A_TIME);
    const rows = await periodRowsBySession(queries, some);
    for (const id of some) notes.set(id, matchNote(periodsOfRows(rows.get(id) ?? [])));
    await nextEventLoopTurn();
  }
  return notes;
}
