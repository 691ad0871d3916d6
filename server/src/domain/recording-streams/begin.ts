import { randomUUID } from "node:crypto";
import { recordingStreams } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { OwnedDevice } from "../ownerships/rules.js";
import { deleteStream } from "./delete.js";
import { findStream } from "./find.js";
import { nothingOf, type RecordingStream, toState } from "./resource.js";

/** The recording that a gateway wants to send, and the offset at which it starts. */
export interface Beginning {
  recording: string;
  /** Offset of the first byte of the body. */
  offset: number;
}

const isOf = (stream: RecordingStream, { ownership }: OwnedDevice, recording: string) =>
  stream.recording === recording && stream.managerId === ownership.managerId;

/** Returns how much of a recording of the device is stored. */
export async function stateOfStream({ queries }: Context, owned: OwnedDevice, recording: string) {
  const stream = await findStream(queries, owned.device.id);
  return stream !== undefined && isOf(stream, owned, recording) ? toState(stream) : nothingOf(recording);
}

/**
 * Begins or continues a stream. Another open request of the device ends at its next piece, in any process. A device has one
 * stream, which another recording replaces.
 * @throws ServiceError `recording_ended`, `offset_ahead`
 */
export async function beginStream(
  ctx: Context,
  holder: OwnedDevice,
  { recording, offset }: Beginning,
): Promise<RecordingStream> {
  const { serialNumber: serial } = holder.device;
  return change(ctx, "streamRecording", { serial }, async (unit, owned) => {
    const { queries } = unit;
    const { device, ownership } = owned;
    const before = await findStream(queries, device.id);
    const isKnown = before !== undefined && isOf(before, owned, recording);
    if (isKnown && before.endedAt !== null) {
      throw errors.conflict("recording_ended", "The recording is complete, and accepts no more bytes.");
    }
    const stored = isKnown ? before.bytes : 0;
    if (offset > stored) {
      throw errors.conflict(
        "offset_ahead",
        `${stored} bytes of this recording are stored. Continue from there, or from an earlier byte.`,
      );
    }
    const connection = randomUUID();
    const updatedAt = unit.now;
    if (!isKnown) await deleteStream(unit, { deviceId: device.id });
    const managerId = ownership.managerId;
    const [stream] = await queries
      .insert(recordingStreams)
      .values({ deviceId: device.id, managerId, recording, connection, updatedAt })
      .onConflictDoUpdate({ target: recordingStreams.deviceId, set: { connection, updatedAt } })
      .returning();
    if (stream === undefined) throw new Error("The stream was not stored");
    await unit.announce("streamBegun", { deviceId: device.id, managerId, recording, bytes: stored });
    return stream;
  });
}
