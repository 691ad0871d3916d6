import { bucketOf } from "./bucket.js";
import { type ChunkHeader, cutChunk, decodeRow, readChunks } from "./chunk-rows.js";
import { encodeChunk } from "./codec.js";
import { lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import { SampleStoreError } from "./errors.js";
import type { SqlClient } from "./sql-client.js";
import { takeTurn } from "./turn.js";

/**
 * Removes the samples of a device from a time on. Loads of the device wait for the transaction, and this for theirs.
 *
 * @param tx     a transaction of the caller's, at the isolation level READ COMMITTED
 * @param fromMs the earliest time that goes, ms since 1970 UTC
 */
export async function deleteSamplesFrom(tx: SqlClient, deviceId: number, fromMs: number): Promise<void> {
  await takeTurn(tx, deviceId);
  await tx.query("DELETE FROM sample_chunks WHERE device_id = $1 AND bucket >= $2 AND start_ms >= $3", [
    deviceId,
    bucketOf(fromMs),
    fromMs,
  ]);
  const [header] = await readChunks(tx, deviceId, [bucketOf(fromMs)]);
  if (header === undefined || header.stopMs < fromMs) return;
  const samples = readableSamples(deviceId, header);
  const length = samples === null ? 0 : lowerBound(samples.timestampMs, samples.length, fromMs);
  const { bucket } = header;
  if (samples === null || length === 0) {
    await tx.query("DELETE FROM sample_chunks WHERE device_id = $1 AND bucket = $2", [deviceId, bucket]);
    return;
  }
  const left = sliceColumns(samples, 0, length);
  await cutChunk(tx, deviceId, {
    bucket,
    startMs: left.timestampMs[0] ?? 0,
    stopMs: left.timestampMs[length - 1] ?? 0,
    size: length,
    payload: encodeChunk(left, bucket),
  });
}

/** Null for a damaged chunk: no one can read any of it, and it must not keep the rest from being removed. */
function readableSamples(deviceId: number, header: ChunkHeader): SampleColumns | null {
  try {
    return decodeRow(deviceId, header);
  } catch (error) {
    if (error instanceof SampleStoreError && error.code === "CORRUPT_CHUNK") return null;
    throw error;
  }
}
