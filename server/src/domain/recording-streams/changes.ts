import { lockDevice } from "../bulk-load/store-batches.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { announceChanges } from "./changed-times.js";
import { findStream } from "./find.js";
import type { RecordingStream } from "./resource.js";

/**
 * Maximum delay of the effects of streamed samples. Samples are stored twice a second, but figures are computed less
 * often.
 */
const EFFECTS_AFTER_MS = 30_000;

/** Adds the job that announces the changes to a stream, even if its process ends. At most one job per device waits. */
export async function announceLater(
  { enqueue }: UnitOfWork,
  { deviceId, managerId }: Pick<RecordingStream, "deviceId" | "managerId">,
): Promise<void> {
  await enqueue({
    kind: "stream-effects",
    payload: { device: deviceId },
    uniqueKey: String(deviceId),
    chargedTo: managerId,
    delayMs: EFFECTS_AFTER_MS,
  });
}

/** Runs the job of `announceLater`. */
export async function announceStreamed(ctx: Context, deviceId: number): Promise<void> {
  await transact(ctx, "stream effects", async (unit) => {
    await lockDevice(unit.queries, deviceId);
    const stream = await findStream(unit.queries, deviceId);
    if (stream !== undefined) await announceChanges(unit, stream);
  });
}
