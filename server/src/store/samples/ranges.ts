import { BUCKET_MS } from "./bucket.js";
import type { Interval } from "./intervals.js";
import { selectChunks } from "./selection.js";
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
  const ranges: SampleRange[] = [];
  for (const { startMs, stopMs, size } of await selectChunks(client, deviceId, intervals, "edges")) {
    const last = ranges.at(-1);
    if (last !== undefined && startMs - last.stop <= BUCKET_MS) {
      last.stop = stopMs;
      last.size += size;
    } else ranges.push({ start: startMs, stop: stopMs, size });
  }
  return ranges;
}
