import { eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { recordingStreams } from "../../store/schema.js";
import { lockDevice } from "../bulk-load/store-batches.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { RecordingStream } from "./resource.js";

/**
 * Time within which the effects of streamed samples follow. Samples are stored every second; figures are not computed that often.
 */
const EFFECTS_AFTER_MS = 30_000;

const NONE = { changedFromMs: null, changedToMs: null };

/** Announces the samples of a stream that are stored since the last announcement. The device must be locked. */
export async function announceChanges(
  { queries, announce }: Pick<UnitOfWork, "queries" | "announce">,
  { deviceId, managerId, changedFromMs, changedToMs }: RecordingStream,
): Promise<void> {
  if (changedFromMs === null || changedToMs === null) return;
  await queries.update(recordingStreams).set(NONE).where(eq(recordingStreams.deviceId, deviceId));
  const changed = [{ startMs: changedFromMs, stopMs: changedToMs }];
  await announce("samplesStored", { deviceId, ownerId: managerId, changed });
}

/** Adds the job that announces the changes of a stream, also if its process ends. At most one of a device waits. */
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
    const [stream] = await unit.queries
      .select()
      .from(recordingStreams)
      .where(eq(recordingStreams.deviceId, deviceId));
    if (stream !== undefined) await announceChanges(unit, stream);
  });
}

/** Whether effects of the stream are still to come. */
export const hasChanges: SQL = isNotNull(recordingStreams.changedFromMs);

/** The smallest interval with the changed times of a stream and these. */
export const withChanges = (startMs: number, stopMs: number) => ({
  changedFromMs: sql`least(${recordingStreams.changedFromMs}, ${startMs}::bigint)`,
  changedToMs: sql`greatest(${recordingStreams.changedToMs}, ${stopMs}::bigint)`,
});
