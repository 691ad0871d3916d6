import { isDeepStrictEqual } from "node:util";
import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
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
import { overlapping } from "../sample-ownership/overlapping-frames.js";
import type { Timeframe } from "../timeframes/rules.js";
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

/** Number of time frames that one transaction marks. It is limited, because other transactions wait for this one. */
const MARKED_AT_A_TIME = 200;

/**
 * Marks computed data that depends on an input as stale, and adds jobs that compute it again. If there are many, marks the
 * first time frames, and a job marks the rest; until then, `isPending` shows that they are stale.
 */
export async function recompute(unit: UnitOfWork, input: ChangedInput): Promise<void> {
  if ("changed" in input && input.changed.length === 0) return;
  const forgets = "forgets" in input && input.forgets === true;
  await lockInput(unit.queries, input);
  const { last } = await mark(unit, matching(input), 0, forgets);
  if (last === undefined) return;
  const times = "changed" in input ? instantsOf(input.changed) : null;
  const id = "athleteId" in input ? input.athleteId : null;
  const activity = "activityId" in input ? input.activityId : null;
  const [device, owner] = "deviceId" in input ? [input.deviceId, input.ownerId ?? null] : [null, null];
  // An input has only one row even if it changes repeatedly. The row contains the earliest position and all times.
  const { rows } = await unit.queries.execute<{ id: string }>(sql`
    INSERT INTO recomputations AS known (athlete_id, activity_id, device_id, owner_id, times, forgets, done_through)
    VALUES (${id}::bigint, ${activity}::bigint, ${device}::bigint, ${owner}::bigint, ${times}, ${forgets}, ${last.id})
    ON CONFLICT ((coalesce(athlete_id, 0)), (coalesce(activity_id, 0)), (coalesce(device_id, 0)), (coalesce(owner_id, 0)), forgets)
    DO UPDATE SET version = known.version + 1, done_through = least(known.done_through, excluded.done_through),
      times = CASE
        WHEN NOT known.forgets AND pg_column_size(known.times + excluded.times) > ${MAX_TIMES_BYTES}
        THEN multirange(range_merge(known.times + excluded.times)) ELSE known.times + excluded.times END
    RETURNING id`);
  await unit.enqueueAll(rows.map((row) => recomputation(Number(row.id), last.ownerId)));
}

const recomputation = (id: number, chargedTo: number): SmallJob => ({
  kind: "recompute",
  payload: { recomputation: id },
  uniqueKey: String(id),
  chargedTo,
});

/** Time frames: the FROM and WHERE of a query of their rows. */
interface Matching {
  from: SQL;
  where: SQL | undefined;
}

function matching(input: ChangedInput): Matching {
  const from = sql`${timeframes}`;
  if ("athleteId" in input) return { from, where: eq(timeframes.athleteId, input.athleteId) };
  if ("activityId" in input) return { from, where: eq(timeframes.activityId, input.activityId) };
  return ofDevice(input.deviceId, input.ownerId, instantsOf(input.changed));
}

const ofDevice = (deviceId: number, ownerId: number | undefined, times: SQL): Matching => ({
  from: overlapping(deviceId, times),
  where: ownerId === undefined ? undefined : eq(timeframes.ownerId, ownerId),
});

/** @returns the last marked time frame if there may be more */
async function mark(
  unit: UnitOfWork,
  { from, where }: Matching,
  after: number,
  forgets: boolean,
): Promise<{ last: { id: number; ownerId: number } | undefined }> {
  const { queries } = unit;
  // Lock in the order of ids, because concurrent changes would otherwise deadlock. One of the chosen rows may be deleted meanwhile.
  const { rows } = await queries.execute<{ id: string; owner_id: string; is_marked: boolean }>(sql`
    WITH chosen AS MATERIALIZED (
      SELECT ${timeframes.id} AS id, ${timeframes.ownerId} AS owner_id FROM ${from} WHERE ${and(where, gt(timeframes.id, after))}
      ORDER BY ${timeframes.id} LIMIT ${MARKED_AT_A_TIME}
    ), matching AS (
      SELECT id FROM timeframes WHERE id = ANY(ARRAY(SELECT id FROM chosen)) ORDER BY id FOR NO KEY UPDATE
    ), marked AS (
      UPDATE timeframes SET data_version = data_version + 1 FROM matching WHERE timeframes.id = matching.id RETURNING timeframes.id
    )
    SELECT id, owner_id, id IN (SELECT id FROM marked) AS is_marked FROM chosen ORDER BY id`);
  const chosen = rows.map((row) => ({ ...row, id: Number(row.id), ownerId: Number(row.owner_id) }));
  const marked = chosen.filter(({ is_marked }) => is_marked);
  const ids = marked.map(({ id }) => id);
  if (forgets && ids.length > 0) {
    await queries.delete(computedData).where(inArray(computedData.timeframeId, ids));
    await deleteFiguresOf(unit, ids);
  }
  await queueComputation(unit, marked);
  return { last: chosen.length === MARKED_AT_A_TIME ? chosen.at(-1) : undefined };
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
  const [row] = await queries.select().from(recomputations).where(eq(recomputations.id, id));
  if (row === undefined) return false;
  const { athleteId, activityId, deviceId, ownerId, doneThrough, forgets, version } = row;
  const change =
    athleteId !== null
      ? matching({ athleteId })
      : activityId !== null
        ? matching({ activityId })
        : ofDevice(
            deviceId ?? 0,
            ownerId ?? undefined,
            sql`(SELECT ${recomputations.times} FROM ${recomputations} WHERE ${recomputations.id} = ${id})`,
          );
  const { last } = await mark(unit, change, doneThrough, forgets);
  // If the input has changed in the meantime, the row remains unchanged, and its time frames are marked again.
  const asRead = and(eq(recomputations.id, id), eq(recomputations.version, version));
  if (last !== undefined) {
    await queries.update(recomputations).set({ doneThrough: last.id }).where(asRead);
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
