import { and, eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessionFigures } from "../../store/schema.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import { readFigures } from "./figures-inputs.js";

/** The figures of a player in a session, by period. */
export interface ComputedPlayer {
  inputs: string;
  computedAt: Date;
  byPeriod: ReadonlyMap<string, PlayerFigures>;
}

/** The stored figures of a session by athlete, also stale ones. @param athleteId only those of this player */
export async function storedFigures(
  queries: Queries,
  sessionId: number,
  athleteId?: number,
): Promise<Map<number, ComputedPlayer>> {
  const rows = await queries
    .select()
    .from(sessionFigures)
    .where(
      and(
        eq(sessionFigures.sessionId, sessionId),
        athleteId === undefined ? undefined : eq(sessionFigures.athleteId, athleteId),
      ),
    );
  const found = new Map<number, ComputedPlayer & { byPeriod: Map<string, PlayerFigures> }>();
  for (const { athleteId, inputs, computedAt, period, figures } of rows) {
    const known = found.get(athleteId) ?? { inputs, computedAt, byPeriod: new Map() };
    found.set(athleteId, known);
    known.byPeriod.set(period, readFigures(figures));
  }
  return found;
}
