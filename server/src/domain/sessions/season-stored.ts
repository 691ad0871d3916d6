import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type Interval, lengthOf, united } from "asi-convert/squad";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { readInstant } from "../../store/instant.js";
import { recomputations, sessionFigures, sessionTimeframes, timeframes } from "../../store/schema.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import { pendingChanges } from "../computed-data/compute.js";
import { hasLostSamples } from "../computed-data/removed-samples.js";
import { WHOLE } from "./derivation-inputs.js";
import { FIGURES_VERSION, isOfSameFrames, SUM_OF_HALVES } from "./figures-inputs.js";
import type { Session } from "./rules.js";
import { type ShareOfHalves, sharesOfHalves } from "./season-halves.js";
import { withUnknown } from "./stored-figures.js";

/** Maximum number of time frames of whole sessions and bytes of stored figures, in one response and in one batch. */
const MOST = { entries: 15_000, bytes: 64 * 1024 * 1024 };
const BATCH = { entries: 1_500, bytes: 2 * 1024 * 1024 };

/** A player in a session. */
export interface Part {
  sessionId: number;
  athleteId: number;
  /** The whole session, from the first to the last instant with a device; null if there is none. */
  time: { start: Date; end: Date } | null;
  /** Inputs of the stored figures, see `inputsOf`; null if they are missing or stale. */
  inputs: string | null;
  /** Whether all figures that exist now existed when these were stored. */
  isCurrent: boolean;
}

/**
 * Divides sessions into batches in chronological order, so that each is read without delaying other requests. Older sessions are
 * omitted if there are too many.
 * @param found latest first
 */
export async function batchesOf(queries: Queries, found: readonly Session[]): Promise<Session[][]> {
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const frames = await queries
    .select({ id: sessionTimeframes.sessionId, count: sql<number>`count(*)::int` })
    .from(sessionTimeframes)
    .where(and(inArray(sessionTimeframes.sessionId, ids), eq(sessionTimeframes.period, WHOLE)))
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
  const entriesOf = new Map(frames.map(({ id, count }) => [id, count]));
  const bytesOf = new Map(texts.map(({ id, bytes }) => [id, bytes]));
  const batches: Session[][] = [];
  const total = { entries: 0, bytes: 0 };
  let inBatch = { entries: BATCH.entries, bytes: 0 };
  for (const session of found) {
    const entries = entriesOf.get(session.id) ?? 0;
    const bytes = bytesOf.get(session.id) ?? 0;
    total.entries += entries;
    total.bytes += bytes;
    if (batches.length > 0 && (total.entries > MOST.entries || total.bytes > MOST.bytes)) break;
    if (inBatch.entries + entries > BATCH.entries || inBatch.bytes + bytes > BATCH.bytes) {
      batches.push([]);
      inBatch = { entries: 0, bytes: 0 };
    }
    inBatch.entries += entries;
    inBatch.bytes += bytes;
    batches.at(-1)?.push(session);
  }
  return batches.map((batch) => batch.reverse()).reverse();
}

const arrayOf = (ids: readonly number[]) => sql`ANY (${sql.param(ids)}::bigint[])`;

/** Players of a session in the statement below, as lists in the same order. The driver returns large integers and times as text. */
type PartsRow = {
  session_id: string;
  start_time: string | null;
  end_time: string | null;
  is_current: boolean;
  athletes: string;
  inputs: string;
  /** Null if they are current. */
  states: string | null;
};

/**
 * Returns the players of the sessions, each with the time frames of the whole session and the inputs of valid stored figures. The
 * database returns a row for the players with the same times, because reading thousands of rows would take most of the time.
 */
export async function partsOf(queries: Queries, all: readonly Session[]): Promise<Part[]> {
  // Changes are rarely pending, and a search for each time frame would take most of the time.
  const isPending = (await queries.$count(recomputations)) > 0;
  const pending = isPending ? sql`|| coalesce('.' || ${pendingChanges}, '')` : sql``;
  const ids = arrayOf(all.map(({ id }) => id));
  const isWhole = sql`${sessionTimeframes.period} = ${WHOLE}`;
  const { rows } = await queries.execute<PartsRow>(sql`
    WITH part AS (
      SELECT ${sessionTimeframes.sessionId}, ${timeframes.athleteId},
        string_agg(${timeframes.id} || '.' || ${timeframes.version} || '.' || ${timeframes.dataVersion} ${pending}, ' '
          ORDER BY ${timeframes.id}) AS states,
        min(${timeframes.startTime}) FILTER (WHERE ${isWhole}) AS start_time,
        max(${timeframes.endTime}) FILTER (WHERE ${isWhole}) AS end_time
      FROM ${sessionTimeframes} JOIN ${timeframes} ON ${timeframes.id} = ${sessionTimeframes.timeframeId}
      WHERE ${sessionTimeframes.sessionId} = ${ids} GROUP BY 1, 2
    ), known AS (
      SELECT session_id, athlete_id, inputs FROM ${sessionFigures} WHERE session_id = ${ids} AND period = ${WHOLE}
    ), checked AS (
      SELECT part.*, coalesce(inputs, '') AS inputs,
        coalesce(starts_with(inputs, ${`${FIGURES_VERSION}:`} || states || ':'), false) AS is_current
      FROM part LEFT JOIN known USING (session_id, athlete_id)
    )
    SELECT session_id, start_time, end_time, is_current, string_agg(athlete_id::text, ',' ORDER BY athlete_id) AS athletes,
      string_agg(inputs, ',' ORDER BY athlete_id) AS inputs,
      string_agg(states, ',' ORDER BY athlete_id) FILTER (WHERE NOT is_current) AS states
    FROM checked GROUP BY 1, 2, 3, 4`);
  const parts = rows.flatMap(partsIn);
  const stale = parts.filter(({ states, stored }) => states !== null && isOfSameFrames(stored, `:${states}`));
  const kept = await withLostSamples(queries, stale);
  return parts
    .map(({ states, stored, ...part }) => {
      const isCurrent = states === null;
      return { ...part, isCurrent, inputs: isCurrent || kept.has(keyOf(part)) ? stored : null };
    })
    .sort((a, b) => a.sessionId - b.sessionId || a.athleteId - b.athleteId);
}

function partsIn({ session_id, start_time, end_time, is_current, athletes, inputs, states }: PartsRow) {
  const isWhole = start_time !== null && end_time !== null;
  const time = isWhole ? { start: readInstant(start_time), end: readInstant(end_time) } : null;
  const stored = inputs.split(",");
  const stale = states?.split(",") ?? [];
  return athletes.split(",").map((athlete, place) => ({
    sessionId: Number(session_id),
    athleteId: Number(athlete),
    time,
    stored: stored[place] ?? "",
    states: is_current ? null : (stale[place] ?? ""),
  }));
}

type Place = Pick<Part, "sessionId" | "athleteId">;

const keyOf = ({ sessionId, athleteId }: Place) => `${sessionId} ${athleteId}`;

/** Players whose samples retention has removed keep their stored figures. */
async function withLostSamples(queries: Queries, parts: readonly Place[]): Promise<Set<string>> {
  if (parts.length === 0) return new Set();
  const rows = await queries
    .selectDistinct({ sessionId: sessionTimeframes.sessionId, athleteId: timeframes.athleteId })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .where(
      and(
        inArray(sessionTimeframes.sessionId, [...new Set(parts.map(({ sessionId }) => sessionId))]),
        hasLostSamples,
      ),
    );
  const lost = new Set(rows.map(keyOf));
  return new Set(parts.map(keyOf).filter((key) => lost.has(key)));
}

/** The stored figures of a player in a session: of the two halves of a match, otherwise of the whole session. */
export interface Stored {
  athleteId: number;
  /** JSON text of the figures. */
  text: string;
  /** Time with data in the whole session; null if there is no data. */
  recordedMs: number | null;
  /**
   * Share of the player's time in the two halves with data, 0 to 1; null if the player does not take part in them. Undefined if the figures
   * are from the whole session.
   */
  shareOfHalves?: number | null;
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
  recorded: string;
  seconds: string;
};

/**
 * Reads the stored figures of players, by session.
 * @param parts players with inputs
 * @param matches ids of the sessions that are matches
 * @returns also the players whose figures are no longer from these inputs
 */
export async function storedOf(queries: Queries, parts: readonly Part[], matches: readonly number[]) {
  const bySession = new Map<number, StoredPlayers>();
  const wanted = new Map(parts.map((part) => [keyOf(part), part]));
  if (parts.length === 0) return { bySession, changed: [] };
  const ids = [...new Set(parts.map(({ sessionId }) => sessionId))];
  const athletes = [...new Set(parts.map(({ athleteId }) => athleteId))];
  const isWanted = sql`(period = ${WHOLE} OR (period = ${SUM_OF_HALVES} AND session_id = ${arrayOf(matches)}))`;
  const { rows } = await queries.execute<StoredRow>(sql`
    SELECT session_id, string_agg(athlete_id::text, ',') AS athletes, string_agg(period, ',') AS periods,
      string_agg(inputs, ',') AS inputs, string_agg(figures, ${"\n"}) AS figures,
      string_agg(coalesce(recorded_ms::text, 'null'), ',') AS recorded, string_agg(seconds, ',') AS seconds
    FROM ${sessionFigures}
    WHERE session_id = ${arrayOf(ids)} AND athlete_id = ${arrayOf(athletes)} AND ${isWanted} GROUP BY session_id`);
  const shareOf = await sharesOfHalves(queries, matches);
  for (const row of rows) {
    bySession.set(Number(row.session_id), playersIn(row, wanted, shareOf));
    await nextEventLoopTurn();
  }
  return { bySession, changed: [...wanted.values()] };
}

/** Reads the players of a session, and removes them from `wanted`. */
function playersIn(row: StoredRow, wanted: Map<string, Part>, shareOf: ShareOfHalves): StoredPlayers {
  const inputs = row.inputs.split(",");
  const periods = row.periods.split(",");
  const texts = row.figures.split("\n");
  const recorded = JSON.parse(`[${row.recorded}]`) as (number | null)[];
  const seconds = JSON.parse(`[${row.seconds}]`) as [from: number, to: number][][];
  const athletes = row.athletes.split(",");
  const keyAt = (place: number) => `${row.session_id} ${athletes[place]}`;
  const ofMatch = new Map(
    periods.flatMap((period, place) =>
      period === SUM_OF_HALVES
        ? [[keyAt(place), { text: texts[place], recordedMs: recorded[place] ?? null }] as const]
        : [],
    ),
  );
  const stored: Stored[] = [];
  const played: Interval[] = [];
  for (const [place, period] of periods.entries()) {
    const key = keyAt(place);
    const part = wanted.get(key);
    if (period === SUM_OF_HALVES || part === undefined || part.inputs !== inputs[place]) continue;
    wanted.delete(key);
    const match = ofMatch.get(key);
    const text = match?.text ?? texts[place] ?? "{}";
    for (const [from, to] of seconds[place] ?? []) played.push({ startMs: 1000 * from, endMs: 1000 * to });
    stored.push({
      athleteId: part.athleteId,
      text: part.isCurrent ? text : complete(text),
      recordedMs: recorded[place] ?? null,
      ...(match !== undefined && { shareOfHalves: shareOf(part, match.recordedMs) }),
    });
  }
  return { stored, playedMs: lengthOf(united(played)) };
}

/** Adds the figures that did not exist when these were stored, as null. */
const complete = (text: string): string => JSON.stringify(withUnknown(figuresIn(text)));

export const figuresIn = (text: string): PlayerFigures["figures"] => JSON.parse(text);
