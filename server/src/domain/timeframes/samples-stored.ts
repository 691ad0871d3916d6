import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Interval } from "../../store/samples/index.js";
import { timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { instantsOf } from "./multirange.js";
import { recompute } from "./recompute.js";
import { forgetRemoved } from "./removed-samples.js";

/** Time frames that an instant of one of the closed intervals falls into. */
const touching = (intervals: readonly Interval[]): SQL =>
  sql`tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]') && ${instantsOf(intervals)}`;

/**
 * Marks the time frames that the samples fall into and asks for their computed data again. To be
 * called in the transaction that stores samples of a device.
 * @param changed where samples are new or gained a heart rate, from `storeSamples`
 */
export async function samplesStored(
  unit: UnitOfWork,
  deviceId: number,
  changed: readonly Interval[],
): Promise<void> {
  if (changed.length === 0) return;
  await forgetRemoved(unit.queries, deviceId, changed);
  await ownershipChanged(unit, deviceId, changed);
}

/**
 * The same for times from which the device's owner has changed: samples stored before may now be used, or no more. To
 * be called in the transaction that changes the ownership.
 */
export async function ownershipChanged(
  unit: UnitOfWork,
  deviceId: number,
  changed: readonly Interval[],
): Promise<void> {
  const matching = and(eq(timeframes.deviceId, deviceId), touching(changed));
  if (matching !== undefined && changed.length > 0) await recompute(unit, matching);
}
