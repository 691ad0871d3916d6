import { isDeepStrictEqual } from "node:util";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Interval } from "../../store/samples/index.js";
import { computedData, timeframes } from "../../store/schema.js";
import type { Timeframe } from "../timeframes/rules.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { instantsOf } from "./multirange.js";

/** Adds jobs that compute the data of time frames that have themselves changed. */
export async function queueComputation(
  unit: UnitOfWork,
  changed: readonly { id: number; ownerId: number }[],
): Promise<void> {
  await unit.enqueueAll(
    changed.map(({ id, ownerId }) => ({
      kind: "compute",
      payload: { timeframe: id },
      uniqueKey: String(id),
      chargedTo: ownerId,
    })),
  );
}

/**
 * Marks the computed data of matching time frames as stale and adds jobs that compute them again. For changes of other
 * inputs than the time frames themselves.
 */
export async function recompute(unit: UnitOfWork, matching: SQL): Promise<void> {
  // Locked in the order of their ids, so that two changes never wait for each other.
  const { rows } = await unit.queries.execute<{ id: string; owner_id: string }>(sql`
    WITH matching AS (SELECT id FROM timeframes WHERE ${matching} ORDER BY id FOR NO KEY UPDATE)
    UPDATE timeframes SET data_version = data_version + 1 FROM matching
    WHERE timeframes.id = matching.id RETURNING timeframes.id, timeframes.owner_id`);
  await queueComputation(
    unit,
    rows.map(({ id, owner_id }) => ({ id: Number(id), ownerId: Number(owner_id) })),
  );
}

/** Does the same for the time frames of a device that overlap one of the closed intervals. */
export async function recomputeTouched(
  unit: UnitOfWork,
  { deviceId, changed }: { deviceId: number; changed: readonly Interval[] },
): Promise<void> {
  const matching = and(eq(timeframes.deviceId, deviceId), overlaps(changed));
  if (matching !== undefined && changed.length > 0) await recompute(unit, matching);
}

const overlaps = (intervals: readonly Interval[]): SQL =>
  sql`tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]') && ${instantsOf(intervals)}`;

/** Deletes the stored results of the time frames of a device that overlap one of the closed intervals. */
export async function forgetResults(
  { queries }: UnitOfWork,
  { deviceId, deleted }: { deviceId: number; deleted: readonly Interval[] },
): Promise<void> {
  const touched = queries
    .select({ id: timeframes.id })
    .from(timeframes)
    .where(and(eq(timeframes.deviceId, deviceId), overlaps(deleted)));
  await queries.delete(computedData).where(inArray(computedData.timeframeId, touched));
}

/** Whose samples a result is computed from. The owner of a time frame does not change. */
const sourceOf = ({ athleteId, deviceId, startTime, endTime }: Timeframe) => [
  athleteId,
  deviceId,
  startTime,
  endTime,
];

/**
 * Deletes the stored result of a time frame that gets another athlete, device or time. After retention it would stay, and show
 * the figures of one athlete as those of another.
 */
export async function forgetReassignedResult(
  { queries }: UnitOfWork,
  before: Timeframe,
  after: Timeframe,
): Promise<void> {
  if (isDeepStrictEqual(sourceOf(before), sourceOf(after))) return;
  await queries.delete(computedData).where(eq(computedData.timeframeId, after.id));
}
