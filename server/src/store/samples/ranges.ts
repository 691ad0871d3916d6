import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { BUCKET_MS } from "./bucket.js";
import type { Interval } from "./intervals.js";
import { type DeviceIntervals, type SelectedChunk, selectChunks, selectEdgesOf } from "./selection.js";
import type { SqlClient } from "./sql-client.js";

/** A range of successive samples at most 300,000 ms apart. */
export interface SampleRange {
  /** First sample, ms since 1970 UTC. */
  start: number;
  /** Last sample, ms since 1970 UTC. */
  stop: number;
  /** Number of samples. */
  size: number;
}

/**
 * Returns the ranges of a device's samples in the given intervals, ascending. Samples outside the intervals do not connect
 * ranges. Reads the headers of the chunks; decodes only chunks that an interval cuts.
 *
 * @param intervals closed; the cost grows with the time from the first start to the last stop (the service allows
 *                  14 days)
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function listRanges(
  client: SqlClient,
  deviceId: number,
  intervals: readonly Interval[],
): Promise<SampleRange[]> {
  return rangesOf(await selectChunks(client, deviceId, intervals, "edges"));
}

/**
 * Returns the ranges of several devices like `listRanges`, with one statement. Other work can run after each device.
 * @param devices each once; the cost grows with the sum of their times
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function listRangesOf(
  client: SqlClient,
  devices: readonly DeviceIntervals[],
): Promise<Map<number, SampleRange[]>> {
  const chunksOf = await selectEdgesOf(client, devices);
  const found = new Map<number, SampleRange[]>();
  for (const { deviceId } of devices) {
    found.set(deviceId, rangesOf(chunksOf(deviceId)));
    await nextEventLoopTurn();
  }
  return found;
}

/** Joins chunks, ascending, into ranges. */
function rangesOf(chunks: readonly SelectedChunk[]): SampleRange[] {
  const ranges: SampleRange[] = [];
  for (const { startMs, stopMs, size } of chunks) {
    const last = ranges.at(-1);
    if (last !== undefined && startMs - last.stop <= BUCKET_MS) {
      last.stop = stopMs;
      last.size += size;
    } else ranges.push({ start: startMs, stop: stopMs, size });
  }
  return ranges;
}
