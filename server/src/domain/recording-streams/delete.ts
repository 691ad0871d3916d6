import { eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { recordingStreams } from "../../store/schema.js";
import { lockDevice } from "../bulk-load/store-batches.js";
import { BeginAgain } from "../change/begin-again.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { announceChanges } from "./changed-times.js";
import { findStream } from "./find.js";
import type { RecordingStream } from "./resource.js";

/** Maximum number of pieces that one transaction deletes, and number of bytes within which they begin. Other requests wait for it. */
const DELETED_AT_A_TIME = 1_000;
const DELETED_BYTES = 8 * 1024 ** 2;

/**
 * Deletes the stream of a device with its bytes, because they contain samples that were deleted or that belong to a former
 * owner, or because another recording replaces it. An open request ends at its next piece with `replaced`; a new request sends the
 * recording from the start.
 * @param of.ownerId whose samples were deleted, which streams of other managers do not store; absent for all managers
 * @throws BeginAgain if the stream has more pieces than one transaction deletes
 */
export async function deleteStream(
  unit: UnitOfWork,
  { deviceId, ownerId }: { deviceId: number; ownerId?: number },
): Promise<void> {
  const { queries } = unit;
  const stream = await findStream(queries, deviceId);
  if (stream === undefined || (ownerId !== undefined && stream.managerId !== ownerId)) return;
  const isSame = ({ recording, managerId }: RecordingStream) =>
    recording === stream.recording && managerId === stream.managerId;
  if (await hasManyPieces(queries, deviceId))
    throw new BeginAgain((outside) => deletePieces(outside, deviceId, isSame));
  // Announce the changes first, because the job that announces them would not find them later.
  await announceChanges(unit, stream);
  await queries.delete(recordingStreams).where(eq(recordingStreams.deviceId, deviceId));
}

async function hasManyPieces(queries: Queries, deviceId: number): Promise<boolean> {
  const { rows } = await queries.execute<{ is_many: boolean | null }>(sql`
    SELECT count(*) > ${DELETED_AT_A_TIME} OR max(first_byte) - min(first_byte) >= ${DELETED_BYTES} AS is_many
    FROM stream_pieces WHERE device_id = ${deviceId}`);
  return rows[0]?.is_many === true;
}

/**
 * Deletes the pieces of a stream in transactions of limited size.
 * @param isUnneeded checked in each transaction, because another request may use the stream again
 */
export async function deletePieces(
  queries: Queries,
  deviceId: number,
  isUnneeded: (stream: RecordingStream) => boolean,
): Promise<void> {
  while (await queries.transaction((part) => deleteSomePieces(part, deviceId, isUnneeded)));
}

/**
 * Deletes some pieces of a stream, last pieces first, so that an unfinished stream can continue before them after an interruption.
 * @returns whether there are more
 */
async function deleteSomePieces(
  queries: Queries,
  deviceId: number,
  isUnneeded: (stream: RecordingStream) => boolean,
): Promise<boolean> {
  await lockDevice(queries, deviceId);
  const stream = await findStream(queries, deviceId);
  return stream !== undefined && isUnneeded(stream) && deleteLast(queries, deviceId);
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
