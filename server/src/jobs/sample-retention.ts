import { transact } from "../domain/change.js";
import type { Context } from "../domain/context.js";
import { deleteStoredBefore, type Interval, sqlClientOf } from "../store/samples/index.js";

const DAY_MS = 86_400_000;

/** Chunks removed in one transaction, so that others wait only briefly. */
const CHUNKS_PER_TRANSACTION = 1000;

/**
 * Removes samples that were stored too long ago. The time counts from when they were stored, not recorded.
 * @param signal ends it after the current transaction
 */
export async function applySampleRetention(ctx: Context, signal?: AbortSignal): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.rawRetentionDays * DAY_MS);
  while (!signal?.aborted) {
    const count = await transact(ctx, "sample retention", async (unit) => {
      const removed = await deleteStoredBefore(sqlClientOf(unit.queries), before, CHUNKS_PER_TRANSACTION);
      const byDevice = new Map<number, Interval[]>();
      for (const { deviceId, startMs, stopMs } of removed) {
        byDevice.set(deviceId, [...(byDevice.get(deviceId) ?? []), { startMs, stopMs }]);
      }
      for (const [deviceId, intervals] of byDevice) {
        await unit.announce("samplesExpired", { deviceId, removed: intervals });
      }
      return removed.length;
    });
    if (count < CHUNKS_PER_TRANSACTION) break;
  }
}
