import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type FigureLimits, type Interval, lengthOf, united } from "asi-convert/squad";
import { and, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessionFigures, sessionTimeframes } from "../../store/schema.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import { WHOLE } from "./derivation-inputs.js";
import { SUM_OF_HALVES } from "./figures-inputs.js";
import type { Session } from "./rules.js";
import { arrayOf, type Part, type ReadPart } from "./season-parts.js";
import { storedHead } from "./stored-figures.js";

/** Maximum number of time frames of whole sessions and bytes of stored figures in one response. */
const MOST = { entries: 15_000, bytes: 64 * 1024 * 1024 };
/** Maximum number of time frames, of all periods, and bytes of stored figures in one batch. */
const BATCH = { frames: 3_000, bytes: 2 * 1024 * 1024 };
/** Number of sessions whose time frames one statement counts. Each can have 500. */
const COUNTED_AT_A_TIME = 50;

/**
 * Divides sessions into batches in chronological order, so that each is read without delaying other requests. Older sessions are
 * omitted if there are too many.
 * @param found latest first
 */
export async function batchesOf(queries: Queries, found: readonly Session[]): Promise<Session[][]> {
  const batches: Session[][] = [];
  const total = { entries: 0, bytes: 0 };
  let inBatch = { frames: 0, bytes: 0 };
  for (let at = 0; at < found.length; at += COUNTED_AT_A_TIME) {
    const some = found.slice(at, at + COUNTED_AT_A_TIME);
    const sizes = await sizesOf(
      queries,
      some.map(({ id }) => id),
    );
    for (const session of some) {
      const { frames, entries, bytes } = sizes(session.id);
      total.entries += entries;
      total.bytes += bytes;
      if (batches.length > 0 && (total.entries > MOST.entries || total.bytes > MOST.bytes))
        return inOrder(batches);
      inBatch.frames += frames;
      inBatch.bytes += bytes;
      if (batches.length === 0 || inBatch.frames > BATCH.frames || inBatch.bytes > BATCH.bytes) {
        batches.push([]);
        inBatch = { frames, bytes };
      }
      batches.at(-1)?.push(session);
    }
    await nextEventLoopTurn();
  }
  return inOrder(batches);
}

const inOrder = (batches: Session[][]): Session[][] => batches.map((batch) => batch.reverse()).reverse();

/** Counts the time frames of sessions, those of whole sessions, and the bytes of stored figures. */
async function sizesOf(queries: Queries, ids: readonly number[]) {
  const frames = await queries
    .select({
      id: sessionTimeframes.sessionId,
      frames: sql<number>`count(*)::int`,
      entries: sql<number>`(count(*) FILTER (WHERE ${sessionTimeframes.period} = ${WHOLE}))::int`,
    })
    .from(sessionTimeframes)
    .where(inArray(sessionTimeframes.sessionId, ids))
    .groupBy(sessionTimeframes.sessionId);
  const texts = await queries
    .select({
      id: sessionFigures.sessionId,
      bytes: sql<number>`sum(octet_length(${sessionFigures.figures}) + octet_length(${sessionFigures.seconds}))::float8`,
    })
    .from(sessionFigures)
    .where(
      and(inArray(sessionFigures.sessionId, ids), inArray(sessionFigures.period, [WHOLE, SUM_OF_HALVES])),
    )
    .groupBy(sessionFigures.sessionId);
  const framesOf = new Map(frames.map((row) => [row.id, row]));
  const bytesOf = new Map(texts.map(({ id, bytes }) => [id, bytes]));
  return (id: number) => ({
    frames: framesOf.get(id)?.frames ?? 0,
    entries: framesOf.get(id)?.entries ?? 0,
    bytes: bytesOf.get(id) ?? 0,
  });
}

type Place = Pick<Part, "sessionId" | "athleteId">;

const keyOf = ({ sessionId, athleteId }: Place) => `${sessionId} ${athleteId}`;

/** The stored figures of a player in a session: of the two halves of a match, otherwise of the whole session. */
export interface Stored {
  athleteId: number;
  /** JSON text of the figures; empty if the caller does not see the player. */
  text: string;
  /** Share of the recorded time of these figures with a heart rate; null if it is unknown. */
  hrCoverage: number | null;
  /** The limits on which these figures depend; null without data. */
  limits: FigureLimits | null;
  /** See `PlayerFigures`. */
  tooFast: PlayerFigures["tooFast"];
  /** Time with data in the whole session; null if there is no data. */
  recordedMs: number | null;
  /** The halves of a match: their length for the player and the time with data in them; null for other sessions. */
  ofHalves: { periodMs: number; recordedMs: number | null } | null;
}

/** The stored figures of the players of a session. */
export interface StoredPlayers {
  stored: Stored[];
  /** Time with data of any of the players, ms. */
  playedMs: number;
}

/** The stored figures of a session in the statement below, as lists in the same order. */
type StoredRow = {
  session_id: string;
  athletes: string;
  periods: string;
  inputs: string;
  figures: string;
  heads: string;
  recorded: string;
  lengths: string;
  seconds: string;
};

/**
 * Reads the stored figures of players, by session.
 * @param parts players with inputs
 * @param matches ids of the sessions that are matches
 * @param seen the only player whose figures the caller sees; null for all
 * @returns also the players whose figures are no longer from these inputs
 */
export async function storedOf(
  queries: Queries,
  parts: readonly ReadPart[],
  { matches, seen }: { matches: readonly number[]; seen: number | null },
) {
  const bySession = new Map<number, StoredPlayers>();
  const wanted = new Map(parts.map((part) => [keyOf(part), part]));
  if (parts.length === 0) return { bySession, changed: [] };
  const ids = [...new Set(parts.map(({ sessionId }) => sessionId))];
  const athletes = [...new Set(parts.map(({ athleteId }) => athleteId))];
  const isWanted = sql`(period = ${WHOLE} OR (period = ${SUM_OF_HALVES} AND session_id = ${arrayOf(matches)}))`;
  const figures = seen === null ? sql`figures` : sql`CASE WHEN athlete_id = ${seen} THEN figures ELSE '' END`;
  const { rows } = await queries.execute<StoredRow>(sql`
    SELECT session_id, string_agg(athlete_id::text, ',') AS athletes, string_agg(period, ',') AS periods,
      string_agg(inputs, ',') AS inputs, string_agg(${figures}, ${"\n"}) AS figures, string_agg(${storedHead}, ',') AS heads,
      string_agg(coalesce(recorded_ms::text, 'null'), ',') AS recorded, string_agg(period_ms::text, ',') AS lengths, string_agg(seconds, ',') AS seconds
    FROM ${sessionFigures}
    WHERE session_id = ${arrayOf(ids)} AND athlete_id = ${arrayOf(athletes)} AND ${isWanted} GROUP BY session_id`);
  for (const row of rows) {
    bySession.set(Number(row.session_id), playersIn(row, wanted));
    await nextEventLoopTurn();
  }
  return { bySession, changed: [...wanted.values()] };
}

const NO_HEAD = { hrCoverage: null, limits: null, tooFast: null };

/** Reads the players of a session, and removes them from `wanted`. */
function playersIn(row: StoredRow, wanted: Map<string, ReadPart>): StoredPlayers {
  const inputs = row.inputs.split(",");
  const periods = row.periods.split(",");
  const texts = row.figures.split("\n");
  const heads = JSON.parse(`[${row.heads}]`) as (Pick<Stored, "hrCoverage" | "limits" | "tooFast"> | null)[];
  const recorded = JSON.parse(`[${row.recorded}]`) as (number | null)[];
  const seconds = JSON.parse(`[${row.seconds}]`) as [from: number, to: number][][];
  const athletes = row.athletes.split(",");
  const keyAt = (place: number) => `${row.session_id} ${athletes[place]}`;
  const lengths = row.lengths.split(",").map(Number);
  const halves = new Map(
    periods.flatMap((period, place) => (period === SUM_OF_HALVES ? [[keyAt(place), place] as const] : [])),
  );
  const stored: Stored[] = [];
  const played: Interval[] = [];
  for (const [place, period] of periods.entries()) {
    const key = keyAt(place);
    const part = wanted.get(key);
    if (period === SUM_OF_HALVES || part === undefined || part.inputs !== inputs[place]) continue;
    wanted.delete(key);
    for (const [from, to] of seconds[place] ?? []) played.push({ startMs: 1000 * from, endMs: 1000 * to });
    if (!part.isShown) continue;
    const ofHalves = halves.get(key);
    const shown = ofHalves ?? place;
    stored.push({
      athleteId: part.athleteId,
      text: texts[shown] ?? "",
      ...(heads[shown] ?? NO_HEAD),
      recordedMs: recorded[place] ?? null,
      ofHalves:
        ofHalves === undefined
          ? null
          : { periodMs: lengths[ofHalves] ?? 0, recordedMs: recorded[ofHalves] ?? null },
    });
  }
  return { stored, playedMs: lengthOf(united(played)) };
}

export const figuresIn = (text: string): PlayerFigures["figures"] => JSON.parse(text);
