import { halvesOf, intervalsFor, lengthOf, united } from "asi-convert/squad";
import { asc, inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessionPeriods } from "../../store/schema.js";
import { groupBy } from "../lists/group-by.js";
import { idAsName, periodsOfRows } from "./period-rows.js";

/**
 * Returns the share of a player's time in the two halves of a match that has data, 0 to 1; null if the player does not take part.
 * @param recordedMs time with data in the halves; null if there is no data
 */
export type ShareOfHalves = (
  player: { sessionId: number; athleteId: number },
  recordedMs: number | null,
) => number | null;

/** Reads the halves of matches. @param matches ids of sessions */
export async function sharesOfHalves(queries: Queries, matches: readonly number[]): Promise<ShareOfHalves> {
  if (matches.length === 0) return () => null;
  const rows = await queries
    .select()
    .from(sessionPeriods)
    .where(inArray(sessionPeriods.sessionId, [...matches]))
    .orderBy(asc(sessionPeriods.sessionId), asc(sessionPeriods.position));
  const halves = new Map(
    [...groupBy(rows, ({ sessionId }) => sessionId)].map(([id, own]) => [id, halvesOf(periodsOfRows(own))]),
  );
  return ({ sessionId, athleteId }, recordedMs) => {
    const name = idAsName(athleteId);
    const own = (halves.get(sessionId) ?? []).flatMap((half) => intervalsFor(half, name));
    const ms = lengthOf(united(own));
    return ms === 0 ? null : Math.min(1, (recordedMs ?? 0) / ms);
  };
}
