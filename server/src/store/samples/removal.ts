import { samplesOf } from "../placement/sample-device.js";
import { bucketOf } from "./bucket.js";
import { type ChunkHeader, decodeRow, readChunks, updateChunk } from "./chunk-rows.js";
import { encodeChunk } from "./codec.js";
import { concatColumns, lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import { lockDeviceSamples } from "./device-lock.js";
import { SampleStoreError } from "./errors.js";
import type { Interval } from "./intervals.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/** A time later than all samples, ms since 1970 UTC. */
const END_MS = 8_640_000_000_000_000;

/** Removed samples. */
export interface Removal {
  /** Number of samples. */
  count: number;
  /** Closed intervals that contain their times. An interval can also contain samples that were not removed. */
  times: Interval[];
}

/**
 * Removes the samples of a device at or after a time. Locks the device, so this transaction and loads of the device wait for each
 * other.
 *
 * @param tx     a transaction with the isolation level READ COMMITTED
 * @param fromMs earliest time to remove, ms since 1970 UTC
 */
export const deleteSamplesFrom = (tx: SqlClient, deviceId: number, fromMs: number): Promise<Removal> =>
  deleteSamplesBetween(tx, deviceId, fromMs, END_MS);

/**
 * Removes the samples of a device between two times.
 *
 * @param toMs earliest time after `fromMs` to keep, ms since 1970 UTC
 */
export async function deleteSamplesBetween(
  tx: SqlClient,
  deviceId: number,
  fromMs: number,
  toMs: number,
): Promise<Removal> {
  if (fromMs >= toMs) return { count: 0, times: [] };
  await lockDeviceSamples(tx, deviceId);
  const first = bucketOf(fromMs);
  const last = bucketOf(toMs);
  const { rows } = await tx.query<Record<"start_ms" | "stop_ms", SqlBigint> & { n: number }>(
    `DELETE FROM sample_chunks
     WHERE device_id = $1 AND bucket BETWEEN $2 AND $3 AND start_ms >= $4 AND stop_ms < $5
     RETURNING start_ms, stop_ms, n`,
    [samplesOf(deviceId), first, last, fromMs, toMs],
  );
  const times = rows.map((row) => ({ startMs: Number(row.start_ms), stopMs: Number(row.stop_ms) }));
  let count = rows.reduce((sum, { n }) => sum + n, 0);
  for (const header of await readChunks(tx, deviceId, first === last ? [first] : [first, last])) {
    if (header.stopMs < fromMs || header.startMs >= toMs) continue;
    count += header.size - (await cutOut(tx, deviceId, header, fromMs, toMs));
    times.push({ startMs: header.startMs, stopMs: header.stopMs });
  }
  return { count, times };
}

/** Removes samples of one chunk between two times. @returns the number of remaining samples */
async function cutOut(
  tx: SqlClient,
  deviceId: number,
  header: ChunkHeader,
  fromMs: number,
  toMs: number,
): Promise<number> {
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
    await tx.query("DELETE FROM sample_chunks WHERE device_id = $1 AND bucket = $2", [
      samplesOf(deviceId),
      bucket,
    ]);
    return 0;
  }
  await updateChunk(tx, deviceId, {
    bucket,
    startMs: left.timestampMs[0] ?? 0,
    stopMs: left.timestampMs[left.length - 1] ?? 0,
    size: left.length,
    payload: encodeChunk(left, bucket),
  });
  return left.length;
}

/** Returns null for a damaged chunk, which cannot be read and must not prevent the removal of the rest. */
function readableSamples(deviceId: number, header: ChunkHeader): SampleColumns | null {
  try {
    return decodeRow(deviceId, header);
  } catch (error) {
    if (error instanceof SampleStoreError && error.code === "CORRUPT_CHUNK") return null;
    throw error;
  }
}
