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

/** Size below which the last piece grows. A client can send single bytes, and otherwise each of them would be a row. */
const SHORT_PIECE_BYTES = 4 * 1024;

/**
 * Maximum number of bytes of the unfinished recordings of a manager: enough for 50 devices with an ECG for about three hours.
 */
export const MAX_UNENDED_BYTES = 2 * 1024 ** 3;

/** Number of bytes of the unfinished recordings of the manager of a stream, in a query of `recording_streams`. */
export const unendedBytes = sql`(SELECT coalesce(sum(bytes), 0) FROM recording_streams AS unended
  WHERE unended.manager_id = recording_streams.manager_id AND unended.ended_at IS NULL)`.mapWith(Number);

/**
 * Stores the next bytes of a stream. The device must be locked.
 * @param bytesBefore number of bytes of the unfinished recordings of the manager before the piece
 * @throws ServiceError `too_large`
 */
export async function addPiece(
  queries: Queries,
  { deviceId, firstByte, bytes }: typeof streamPieces.$inferInsert,
  bytesBefore: number,
): Promise<void> {
  if (bytesBefore + bytes.length > MAX_UNENDED_BYTES) {
    throw errors.tooLarge(
      `Your unfinished streamed recordings can have at most ${MAX_UNENDED_BYTES} bytes together. End one of them, or stream another recording of its device.`,
    );
  }
  await queries.execute(sql`
    WITH piece AS (SELECT ${sql.param(bytes, streamPieces.bytes)}::bytea AS bytes), grown AS (
      UPDATE stream_pieces AS last SET bytes = last.bytes || piece.bytes FROM piece
      WHERE device_id = ${deviceId} AND octet_length(last.bytes) < ${SHORT_PIECE_BYTES}
        AND first_byte = (SELECT max(first_byte) FROM stream_pieces WHERE device_id = ${deviceId})
      RETURNING 1
    )
    INSERT INTO stream_pieces (device_id, first_byte, bytes)
    SELECT ${deviceId}::bigint, ${firstByte}::bigint, bytes FROM piece WHERE NOT EXISTS (SELECT FROM grown)`);
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
