import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { recordingStreams, streamPieces } from "../../store/schema.js";
import { lockDevice } from "../bulk-load/store-batches.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { findStream } from "./find.js";
import { type RecordingStream, StreamReplaced } from "./resource.js";

/**
 * Maximum number of pieces that one statement reads, and number of bytes within which they begin. All of them are in
 * memory.
 */
const PIECES_AT_A_TIME = 32;
const BYTES_AT_A_TIME = 512 * 1024;

/** Size below which the last piece grows. A client can send single bytes, and otherwise each of them would be a row. */
const SHORT_PIECE_BYTES = 4 * 1024;

/** Maximum number of pieces that one transaction deletes, and number of bytes within which they begin. Other requests wait for it. */
const DELETED_AT_A_TIME = 1_000;
const DELETED_BYTES = 8 * 1024 ** 2;

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
 * Deletes the pieces of a stream in transactions of limited size, last pieces first, so that an unfinished stream can continue before
 * them after an interruption.
 * @param isUnneeded checked in each transaction, because another request may use the stream again
 */
export async function deletePieces(
  ctx: Context,
  deviceId: number,
  isUnneeded: (stream: RecordingStream) => boolean,
): Promise<void> {
  const deleteSome = () =>
    transact(ctx, "delete stream pieces", async ({ queries }) => {
      await lockDevice(queries, deviceId);
      const stream = await findStream(queries, deviceId);
      return stream !== undefined && isUnneeded(stream) && deleteLast(queries, deviceId);
    });
  while (await deleteSome());
}

/** @returns whether there are more pieces before them */
async function deleteLast(queries: Queries, deviceId: number): Promise<boolean> {
  const { rows } = await queries.execute<{ is_more: boolean }>(sql`
    WITH last AS MATERIALIZED (
      SELECT first_byte FROM stream_pieces WHERE device_id = ${deviceId} AND first_byte >
        (SELECT max(first_byte) FROM stream_pieces WHERE device_id = ${deviceId}) - ${DELETED_BYTES}::bigint
      ORDER BY first_byte DESC LIMIT ${DELETED_AT_A_TIME}
    ), deleted AS (
      DELETE FROM stream_pieces WHERE device_id = ${deviceId} AND first_byte >= (SELECT min(first_byte) FROM last)
    )
    UPDATE recording_streams
    SET bytes = CASE WHEN ended_at IS NULL THEN (SELECT min(first_byte) FROM last) ELSE bytes END
    WHERE device_id = ${deviceId} AND EXISTS (SELECT FROM last)
    RETURNING (SELECT min(first_byte) FROM last) > 0 AS is_more`);
  return rows[0]?.is_more === true;
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
