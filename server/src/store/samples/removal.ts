import { bucketOf } from "./bucket.js";
import { type ChunkHeader, cutChunk, decodeRow, readChunks } from "./chunk-rows.js";
import { encodeChunk } from "./codec.js";
import { concatColumns, lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import { lockDeviceSamples } from "./device-lock.js";
import { SampleStoreError } from "./errors.js";
import type { SqlClient } from "./sql-client.js";

/** Later than all samples, ms since 1970 UTC. */
const END_MS = 8_640_000_000_000_000;

/**
 * Removes the samples of a device at or after a time. Loads of the device wait for this transaction, and it waits for theirs.
 *
 * @param tx     a transaction with the isolation level READ COMMITTED
 * @param fromMs the earliest time that is removed, ms since 1970 UTC
 */
export const deleteSamplesFrom = (tx: SqlClient, deviceId: number, fromMs: number): Promise<void> =>
  deleteSamplesBetween(tx, deviceId, fromMs, END_MS);

/**
 * Does the same up to a time.
 *
 * @param toMs the earliest time after `fromMs` that is kept, ms since 1970 UTC
 */
export async function deleteSamplesBetween(
  tx: SqlClient,
  deviceId: number,
  fromMs: number,
  toMs: number,
): Promise<void> {
  if (fromMs >= toMs) return;
  await lockDeviceSamples(tx, deviceId);
  const first = bucketOf(fromMs);
  const last = bucketOf(toMs);
  await tx.query(
    `DELETE FROM sample_chunks
     WHERE device_id = $1 AND bucket BETWEEN $2 AND $3 AND start_ms >= $4 AND stop_ms < $5`,
    [deviceId, first, last, fromMs, toMs],
  );
  for (const header of await readChunks(tx, deviceId, first === last ? [first] : [first, last])) {
    if (header.stopMs >= fromMs && header.startMs < toMs) await cutOut(tx, deviceId, header, fromMs, toMs);
  }
}

/** Removes samples of one chunk, from a time up to another. */
async function cutOut(
  tx: SqlClient,
  deviceId: number,
  header: ChunkHeader,
  fromMs: number,
  toMs: number,
): Promise<void> {
  const { bucket } = header;
  const samples = readableSamples(deviceId, header);
  const left =
    samples === null
      ? null
      : concatColumns([
          sliceColumns(samples, 0, lowerBound(samples.timestampMs, samples.length, fromMs)),
          sliceColumns(samples, lowerBound(samples.timestampMs, samples.length, toMs), samples.length),
        ]);
  if (left === null || left.length === 0) {
    await tx.query("DELETE FROM sample_chunks WHERE device_id = $1 AND bucket = $2", [deviceId, bucket]);
    return;
  }
  await cutChunk(tx, deviceId, {
    bucket,
    startMs: left.timestampMs[0] ?? 0,
    stopMs: left.timestampMs[left.length - 1] ?? 0,
    size: left.length,
    payload: encodeChunk(left, bucket),
  });
}

/** Null for a damaged chunk. Nobody can read it, and it must not prevent the removal of the rest. */
function readableSamples(deviceId: number, header: ChunkHeader): SampleColumns | null {
  try {
    return decodeRow(deviceId, header);
  } catch (error) {
    if (error instanceof SampleStoreError && error.code === "CORRUPT_CHUNK") return null;
    throw error;
  }
}
