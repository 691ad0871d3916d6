import { eq } from "drizzle-orm";
import { deleteSamplesBetween, firstBatch, sqlClientOf } from "../../store/samples/index.js";
import { devices } from "../../store/schema.js";
import { isStorable } from "../../wire/date-time.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { type Run, removeNoted } from "./noted-removal.js";
import { waitingLoads } from "./waiting-loads.js";

/** Number of chunks that one transaction removes, so that other transactions wait only briefly. */
const CHUNKS_PER_TRANSACTION = 1000;

/**
 * Deletes the samples of a device in an interval, and the computed data that depends on them, for the operator. After an
 * interruption, run the command again.
 * @returns the number of deleted samples, and the number of recordings of the device that wait to be loaded or are still being
 *   streamed and may add samples of these times again
 * @throws ServiceError `not_found`; `invalid` on `start` or `stop`
 */
export async function deleteSamples(
  ctx: Context,
  serialNumber: string,
  start: Date,
  stop: Date,
): Promise<{ deleted: number; waitingLoads: number }> {
  for (const [field, date] of [
    ["start", start],
    ["stop", stop],
  ] as const) {
    if (!isStorable(date.getTime()))
      throw errors.field(field, "Expected a date-time such as 2024-01-01T06:00:00Z.");
  }
  if (stop <= start) throw errors.field("stop", "The stop must be after the start.");
  const [device] = await ctx.queries
    .select({ id: devices.id })
    .from(devices)
    .where(eq(devices.serialNumber, serialNumber));
  if (device === undefined) throw errors.notFound(`There is no device ${serialNumber}.`);
  const run: Run = (work) => transact(ctx, "samples delete", work);
  let deleted = 0;
  for (let fromMs = start.getTime(); fromMs < stop.getTime(); ) {
    const from = fromMs;
    let count = 0;
    fromMs = await removeNoted(run, async (unit) => {
      const client = sqlClientOf(unit.queries);
      const { toMs, chunks } = await firstBatch(
        client,
        device.id,
        from,
        stop.getTime(),
        CHUNKS_PER_TRANSACTION,
      );
      const removal =
        chunks === 0 ? { count: 0, times: [] } : await deleteSamplesBetween(client, device.id, from, toMs);
      count = removal.count;
      if (count > 0) {
        // Times of samples are whole milliseconds.
        const interval = { startMs: from, stopMs: toMs - 1 };
        await unit.announce("samplesDeleted", {
          deviceId: device.id,
          deleted: [interval],
          removed: removal.times,
          count,
        });
      }
      return toMs;
    });
    deleted += count;
  }
  return { deleted, waitingLoads: await waitingLoads(ctx.queries, device.id) };
}
