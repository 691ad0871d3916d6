import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { RecordingInfo } from "asi-convert";
import { and, eq, sql } from "drizzle-orm";
import type { RewriteLimit, SampleColumns } from "../../store/samples/index.js";
import { recordingStreams } from "../../store/schema.js";
import { recordFirmware } from "../bulk-load/firmware.js";
import { ownedParts } from "../bulk-load/owned-parts.js";
import { lockDevice, type StoredBatches, storeBatches } from "../bulk-load/store-batches.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { currentOwner } from "../ownerships/rules.js";
import { announceChanges, withChanges } from "./changed-times.js";
import { announceLater } from "./changes.js";
import { addPiece, unendedBytes } from "./pieces.js";
import { type RecordingStream, StreamReplaced } from "./resource.js";

interface Piece {
  piece: Uint8Array;
  /** The rows of the piece. */
  batches: readonly SampleColumns[];
  /** Whether the recording ends with the piece. */
  ends: boolean;
  info: RecordingInfo | null;
}

/** Numbers of samples. */
export interface Counts {
  read: number;
  stored: number;
  known: number;
  refused: number;
  unowned: number;
}

/** The outcome of a part of a piece. */
interface StoredPiece extends Counts {
  stream: RecordingStream;
}

const NOTHING = new Uint8Array();

/**
 * Stores the samples of a piece, usually in one part. The last part is stored together with the bytes, so the samples before the
 * offset at which a gateway continues are always stored.
 * @throws StreamReplaced; ServiceError `permission_denied` if the device has another owner; RecordingRefused,
 * QuotaExceeded
 */
export async function* storePiece(
  ctx: Context,
  held: RecordingStream,
  { piece, batches, ends, info }: Piece,
  limit: RewriteLimit,
): AsyncGenerator<StoredPiece> {
  const { deviceId, managerId: ownerId } = held;
  const { parts, leftOut } = await ownedParts(ctx, { deviceId, ownerId }, batches, limit);
  for (const part of parts.slice(0, -1)) {
    yield await storePart(ctx, held, { piece: NOTHING, batches: part(), ends: false, info });
    await nextEventLoopTurn();
  }
  const last = await storePart(ctx, held, { piece, batches: parts.at(-1)?.() ?? [], ends, info });
  const refused = last.refused + leftOut.refused;
  yield { ...last, refused, unowned: last.unowned + leftOut.unowned, read: last.read + leftOut.refused };
}

async function storePart(
  ctx: Context,
  held: RecordingStream,
  { piece, batches, ends, info }: Piece,
): Promise<StoredPiece> {
  const { deviceId, connection, bytes: firstByte } = held;
  return transact(ctx, "streamRecording", async (unit) => {
    const { queries } = unit;
    await lockDevice(queries, deviceId);
    const { ownership } = await currentOwner.find(ctx, { device: deviceId }, { queries, lock: false });
    const [found] = await queries
      .select({ before: recordingStreams, unendedBytes })
      .from(recordingStreams)
      .where(and(eq(recordingStreams.deviceId, deviceId), eq(recordingStreams.connection, connection)));
    if (found?.before.bytes !== firstByte) throw new StreamReplaced();
    const { before } = found;
    const outcome = await storeBatches(unit, { deviceId, ownerId: ownership.managerId }, batches);
    if (piece.length > 0) await addPiece(queries, { deviceId, firstByte, bytes: piece }, found.unendedBytes);
    const stream = await advance(unit, before, piece.length, outcome);
    if (stream.changed !== null && before.changed === null && !ends) await announceLater(unit, stream);
    if (ends) await conclude(unit, stream, info);
    const { filter, result } = outcome;
    const { read, refused, unowned } = filter;
    return { stream, read, refused, unowned, stored: result.stored, known: result.known };
  });
}

async function advance(
  { queries, now }: UnitOfWork,
  { deviceId, bytes }: RecordingStream,
  addedBytes: number,
  { result, latestKeptMs }: StoredBatches,
): Promise<RecordingStream> {
  const [stream] = await queries
    .update(recordingStreams)
    .set({
      bytes: bytes + addedBytes,
      updatedAt: now,
      ...(latestKeptMs === null
        ? {}
        : { storedUntilMs: sql`greatest(${recordingStreams.storedUntilMs}, ${latestKeptMs}::bigint)` }),
      ...(result.changed.length === 0 ? {} : withChanges(result.changed)),
    })
    .where(eq(recordingStreams.deviceId, deviceId))
    .returning();
  if (stream === undefined) throw new StreamReplaced();
  return stream;
}

/** Ends the recording. */
async function conclude(
  unit: UnitOfWork,
  stream: RecordingStream,
  info: RecordingInfo | null,
): Promise<void> {
  const { queries, now } = unit;
  await announceChanges(unit, stream);
  if (info !== null) await recordFirmware(unit, stream.deviceId, info, stream.storedUntilMs);
  await queries
    .update(recordingStreams)
    .set({ endedAt: now })
    .where(eq(recordingStreams.deviceId, stream.deviceId));
}
