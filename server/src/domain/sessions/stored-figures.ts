import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { limitsOf, SQUAD_COLUMNS } from "asi-convert/squad";
import { and, eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessionFigures } from "../../store/schema.js";
import type { PlayerFigures } from "../change/compute-pool.js";

/** The figures of a player in a period. */
export interface PeriodFigures extends PlayerFigures {
  /** Ids of the time frames whose samples they include, as text. */
  own: string;
  /** Length of the period for the player. */
  periodMs: number;
  computedAt: Date;
  rulesVersion: number;
}

/** The figures of a player in a session, by period. */
export interface ComputedPlayer {
  /** See `inputsOf`. */
  inputs: string;
  byPeriod: ReadonlyMap<string, PeriodFigures>;
}

/** Returns the share of a period with data; null for a period without length, in which the player does not take part. */
export const shareOf = (recordedMs: number | null, periodMs: number): number | null =>
  periodMs === 0 ? null : Math.min(1, (recordedMs ?? 0) / periodMs);

/** The text stored with each period: the inputs of the player, and the time frames of the period. */
export const storedInputs = (inputs: string, own: string): string => `${inputs}:${own}`;

export function readInputs(stored: string): { inputs: string; own: string } {
  const [version = "", frames = "", times = "", own = ""] = stored.split(":");
  return { inputs: [version, frames, times].join(":"), own };
}

type StoredTexts = Pick<typeof sessionFigures.$inferSelect, "figures" | "recordedMs" | "seconds" | "details">;

/** The figures in the form in which they are stored. */
export const storedTexts = ({ figures, recordedMs, seconds, ...others }: PlayerFigures): StoredTexts => {
  const { cells, hrCoverage, tooFast, definition, further } = others;
  return {
    figures: JSON.stringify(figures),
    recordedMs,
    seconds: JSON.stringify(seconds),
    // A season reads only the beginning.
    details: JSON.stringify({
      hrCoverage,
      limits: limitsOf(definition),
      tooFast,
      cells,
      definition,
      further,
    }),
  };
};

const UNKNOWN = Object.fromEntries(SQUAD_COLUMNS.map(({ key }) => [key, null]));

/** Adds figures that did not exist when these were stored, as unknown. */
const withUnknown = (figures: PlayerFigures["figures"]): PlayerFigures["figures"] => ({
  ...UNKNOWN,
  ...figures,
});

const readStoredTexts = ({ figures, recordedMs, seconds, details }: StoredTexts): PlayerFigures => ({
  figures: withUnknown(JSON.parse(figures) as PlayerFigures["figures"]),
  recordedMs,
  seconds: JSON.parse(seconds) as PlayerFigures["seconds"],
  ...readDetails(details),
});

/** The share with a heart rate, the limits and the samples that are too fast in stored details, as JSON. The whole text is long. */
export const storedHead = sql`coalesce(substring(left(${sessionFigures.details}, 240) FROM ${'^(\\{"hrCoverage":[^,]*,"limits":(\\{[^}]*\\}|null),"tooFast":(\\{[^}]*\\}|null)),'}::text) || '}', 'null')`;

/** Reads the part of stored figures that a season does not need. */
export const readDetails = (stored: string) =>
  // Figures of an older release that are kept after retention lack some.
  ({ further: null, tooFast: null, ...JSON.parse(stored) }) as Pick<
    PlayerFigures,
    "cells" | "hrCoverage" | "tooFast" | "definition" | "further"
  >;

/** Number of rows that are parsed between two turns of the event loop. */
const ROWS_AT_A_TIME = 500;

/** Reads the stored figures of a session by athlete, including stale figures. @param athleteId only those of this player */
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
  const found = new Map<number, ComputedPlayer & { byPeriod: Map<string, PeriodFigures> }>();
  for (const [
    place,
    { athleteId, inputs: stored, periodMs, computedAt, rulesVersion, period, ...texts },
  ] of rows.entries()) {
    if (place % ROWS_AT_A_TIME === ROWS_AT_A_TIME - 1) await nextEventLoopTurn();
    const { inputs, own } = readInputs(stored);
    const known = found.get(athleteId) ?? { inputs, byPeriod: new Map() };
    found.set(athleteId, known);
    known.byPeriod.set(period, { ...readStoredTexts(texts), own, periodMs, computedAt, rulesVersion });
  }
  return found;
}
