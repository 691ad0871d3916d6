import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { recordingStreams, streamPieces } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import { type RecordingStream, StreamReplaced } from "./resource.js";

/**
 * Maximum number of pieces that one statement reads, and number of bytes within which they begin. All of them are in
 * memory.
 */
const PIECES_AT_A_TIME = 32;
const BYTES_AT_A_TIME = 512 * 1024;

/**
 * Maximum number of bytes of the unfinished recordings of a manager: enough for 50 devices with an ECG for about three hours.
 */
export const MAX_UNENDED_BYTES = 2 * 1024 ** 3;

/** Number of bytes of the unfinished recordings of the manager of a stream, in a query of `recording_streams`. */
export const unendedBytes = sql`(SELECT coalesce(sum(bytes), 0) FROM recording_streams AS unended
  WHERE unended.manager_id = recording_streams.manager_id AND unended.ended_at IS NULL)`.mapWith(Number);

/**
 * @param bytesBefore number of bytes of the unfinished recordings of the manager before the piece
 * @throws ServiceError `too_large`
 */
export async function addPiece(
  queries: Queries,
  piece: typeof streamPieces.$inferInsert,
  bytesBefore: number,
): Promise<void> {
  if (bytesBefore + piece.bytes.length > MAX_UNENDED_BYTES) {
    throw errors.tooLarge(
      `Your unfinished streamed recordings can have at most ${MAX_UNENDED_BYTES} bytes together. End one of them, or stream another recording of its device.`,
    );
  }
  await queries.insert(streamPieces).values(piece);
}

export async function deletePieces(queries: Queries, deviceId: number): Promise<void> {
  await queries.delete(streamPieces).where(eq(streamPieces.deviceId, deviceId));
}

/**
 * Reads the stored bytes of a stream, as long as no other request has replaced it. Other statements can run between the pieces.
 * @throws StreamReplaced
 */
export async function* storedPieces(
  queries: Queries,
  { deviceId, connection, bytes: storedBytes }: RecordingStream,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < storedBytes; ) {
    const pieces = await queries
      .select({ bytes: streamPieces.bytes })
      .from(streamPieces)
      .innerJoin(recordingStreams, eq(recordingStreams.deviceId, streamPieces.deviceId))
      .where(
        and(
          eq(streamPieces.deviceId, deviceId),
          eq(recordingStreams.connection, connection),
          gte(streamPieces.firstByte, from),
          lt(streamPieces.firstByte, from + BYTES_AT_A_TIME),
        ),
      )
      .orderBy(asc(streamPieces.firstByte))
      .limit(PIECES_AT_A_TIME);
    if (pieces.length === 0) throw new StreamReplaced();
    for (const { bytes } of pieces) {
      from += bytes.length;
      yield bytes;
    }
  }
}
