import { isDeepStrictEqual } from "node:util";
import { and, eq, inArray, sql } from "drizzle-orm";
import { NOBODY, type SmallJob } from "../../store/queue/job-queue.js";
import { type Interval, instantsOf } from "../../store/samples/index.js";
import {
  computedData,
  recomputations,
  sessionFigures,
  sessionTimeframes,
  timeframes,
} from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Timeframe } from "../timeframes/rules.js";
import { affectedAfter, beginningOf, type Cause, type Position } from "./affected.js";
import { lockInput } from "./input-lock.js";
import { queueComputation } from "./queue.js";

/** Changes other than changes to the time frames themselves. */
export type ChangedInput =
  | { athleteId: number }
  | { activityId: number }
  | {
      deviceId: number;
      /** Affects only time frames of this manager; absent for all. */
      ownerId?: number;
      /** Closed intervals. */
      changed: readonly Interval[];
      /** Whether to delete the stored results. */
      forgets?: boolean;
    };

/**
 * Maximum size of the times in one row: about a thousand intervals. If the times are larger, a single interval covers all of
 * them, which also makes the time frames between them stale. A change that deletes results keeps all intervals.
 */
const MAX_TIMES_BYTES = 16_384;

/**
 * Marks computed data that depends on an input as stale, and adds jobs that compute it again. If there are many, marks the
 * first time frames, and a job marks the rest; until then, `isPending` shows that they are stale.
 */
export async function recompute(unit: UnitOfWork, input: ChangedInput): Promise<void> {
  if ("changed" in input && input.changed.length === 0) return;
  const forgets = "forgets" in input && input.forgets === true;
  await lockInput(unit.queries, input);
  const cause: Cause =
    "deviceId" in input
      ? { deviceId: input.deviceId, ownerId: input.ownerId ?? null, times: instantsOf(input.changed) }
      : input;
  const { next, chargedTo } = await mark(unit, cause, beginningOf(cause), forgets);
  if (next === undefined) return;
  const none = { athleteId: null, activityId: null, deviceId: null, ownerId: null, times: null };
  const { athleteId, activityId, deviceId, ownerId, times } = { ...none, ...cause };
  // An input has only one row even if it changes repeatedly. The row contains the earliest position and all times.
  const { rows } = await unit.queries.execute<{ id: string }>(sql`
    INSERT INTO recomputations AS known (athlete_id, activity_id, device_id, owner_id, times, forgets, done_start, done_through)
    VALUES (${athleteId}::bigint, ${activityId}::bigint, ${deviceId}::bigint, ${ownerId}::bigint, ${times}, ${forgets},
      ${next.start}::timestamptz, ${next.id})
    ON CONFLICT ((coalesce(athlete_id, 0)), (coalesce(activity_id, 0)), (coalesce(device_id, 0)), (coalesce(owner_id, 0)), forgets)
    DO UPDATE SET version = known.version + 1,
      (done_start, done_through) = (
        SELECT * FROM (VALUES (known.done_start, known.done_through), (excluded.done_start, excluded.done_through)) AS position
        ORDER BY 1, 2 LIMIT 1),
      times = CASE
        WHEN NOT known.forgets AND pg_column_size(known.times + excluded.times) > ${MAX_TIMES_BYTES}
        THEN multirange(range_merge(known.times + excluded.times)) ELSE known.times + excluded.times END
    RETURNING id`);
  await unit.enqueueAll(rows.map((row) => recomputation(Number(row.id), chargedTo)));
}

const recomputation = (id: number, chargedTo: number): SmallJob => ({
  kind: "recompute",
  payload: { recomputation: id },
  uniqueKey: String(id),
  chargedTo,
});

type MarkedRow = {
  /** Null if no time frame was chosen. */
  id: string | null;
  owner_id: string | null;
  is_marked: boolean | null;
  next_start: string | null;
  next_id: string | null;
};

/** @returns the position with which to continue if there may be more, and the account that is charged for this */
async function mark(
  unit: UnitOfWork,
  cause: Cause,
  after: Position,
  forgets: boolean,
): Promise<{ next: Position | undefined; chargedTo: number }> {
  const { queries } = unit;
  // Lock in the order of ids, because concurrent changes would otherwise deadlock. One of the chosen rows may be deleted meanwhile.
  const { rows } = await queries.execute<MarkedRow>(sql`
    WITH ${affectedAfter(cause, after)}, matching AS (
      SELECT id FROM timeframes WHERE id = ANY(ARRAY(SELECT id FROM chosen)) ORDER BY id FOR NO KEY UPDATE
    ), marked AS (
      UPDATE timeframes SET data_version = data_version + 1 FROM matching WHERE timeframes.id = matching.id RETURNING timeframes.id
    )
    SELECT chosen.id, owner_id, chosen.id IN (SELECT id FROM marked) AS is_marked, next.start::text AS next_start, next.id AS next_id
    FROM chosen FULL JOIN next ON true ORDER BY chosen.id`);
  const marked = rows
    .filter(({ is_marked }) => is_marked)
    .map((row) => ({ id: Number(row.id), ownerId: Number(row.owner_id) }));
  const ids = marked.map(({ id }) => id);
  if (forgets && ids.length > 0) {
    await queries.delete(computedData).where(inArray(computedData.timeframeId, ids));
    await deleteFiguresOf(unit, ids);
  }
  await queueComputation(unit, marked);
  const [row] = rows;
  return {
    next:
      row === undefined || row.next_id === null
        ? undefined
        : { start: row.next_start, id: Number(row.next_id) },
    chargedTo: Number(row?.owner_id ?? NOBODY),
  };
}

/** Deletes the figures of sessions that include samples of these time frames, which their inputs name last. */
export async function deleteFiguresOf({ queries }: UnitOfWork, ids: readonly number[]): Promise<void> {
  const given = sql`${sql.param(ids)}::bigint[]`;
  await queries.execute(sql`
    DELETE FROM ${sessionFigures} WHERE (session_id, athlete_id) IN (
      SELECT ${sessionTimeframes.sessionId}, ${timeframes.athleteId}
      FROM ${sessionTimeframes} JOIN ${timeframes} ON ${timeframes.id} = ${sessionTimeframes.timeframeId}
      WHERE ${sessionTimeframes.timeframeId} = ANY(${given})
    ) AND string_to_array(split_part(inputs, ':', 4), ' ')::bigint[] && ${given}`);
}

/**
 * Marks the next time frames of a change. May run again after an interruption.
 * @returns whether there are more
 */
export async function markNext(unit: UnitOfWork, id: number): Promise<boolean> {
  const { queries } = unit;
  // Do not lock the row, because a change also locks time frames first.
  const [found] = await queries
    .select({ row: recomputations, start: sql<string | null>`${recomputations.doneStart}::text` })
    .from(recomputations)
    .where(eq(recomputations.id, id));
  if (found === undefined) return false;
  const { athleteId, activityId, deviceId, ownerId, doneThrough, forgets, version } = found.row;
  const cause: Cause =
    athleteId !== null
      ? { athleteId }
      : activityId !== null
        ? { activityId }
        : {
            deviceId: deviceId ?? 0,
            ownerId,
            // A new value in memory, because PostgreSQL would read one that is stored apart again for each time frame, 0.1 ms each.
            times: sql`(SELECT range_agg(one) FROM ${recomputations}, unnest(${recomputations.times}) AS one WHERE ${recomputations.id} = ${id})`,
          };
  const { next } = await mark(unit, cause, { start: found.start, id: doneThrough }, forgets);
  // If the input has changed in the meantime, the row remains unchanged, and its time frames are marked again.
  const asRead = and(eq(recomputations.id, id), eq(recomputations.version, version));
  if (next !== undefined) {
    const doneStart = sql`${next.start}::timestamptz`;
    await queries.update(recomputations).set({ doneStart, doneThrough: next.id }).where(asRead);
    return true;
  }
  const done = await queries.delete(recomputations).where(asRead).returning({ id: recomputations.id });
  return done.length === 0;
}

/** Adds jobs for changes whose jobs were lost. */
export async function queueLostRecomputations(unit: UnitOfWork): Promise<void> {
  const rows = await unit.queries.select({ id: recomputations.id }).from(recomputations);
  await unit.enqueueAll(rows.map(({ id }) => recomputation(id, NOBODY)));
}

/** Properties that determine the samples of a result. The owner of a time frame does not change. */
const sourceOf = ({ athleteId, deviceId, startTime, endTime }: Timeframe) => [
  athleteId,
  deviceId,
  startTime,
  endTime,
];

/**
 * Deletes the stored result of a time frame that gets another athlete, device or time. After retention, the result
 * would otherwise remain and show the data of one athlete for another.
 */
export async function deleteReassignedResult(
  { queries }: UnitOfWork,
  before: Timeframe,
  after: Timeframe,
): Promise<void> {
  if (isDeepStrictEqual(sourceOf(before), sourceOf(after))) return;
  await queries.delete(computedData).where(eq(computedData.timeframeId, after.id));
  await queries.delete(sessionFigures).where(
    and(
      eq(sessionFigures.athleteId, before.athleteId),
      // The time frame can belong to another activity before the session is derived again.
      sql`${sessionFigures.sessionId} IN (SELECT ${before.activityId}::bigint
          UNION SELECT ${sessionTimeframes.sessionId} FROM ${sessionTimeframes} WHERE ${sessionTimeframes.timeframeId} = ${after.id})`,
    ),
  );
}
