import { decodeRow, readChunksInOrder } from "./chunk-rows.js";
import { concatColumns, type SampleColumns } from "./columns.js";
import { bucketSpans, type Interval, normaliseIntervals } from "./intervals.js";
import { selectFrom } from "./selection.js";
import type { SqlClient } from "./sql-client.js";

/** Number of chunks in a batch: 96,000 samples at 10 Hz, 3 MB of columns. */
const CHUNKS_PER_BATCH = 32;

/**
 * Yields all samples of a device in the given intervals, with times strictly ascending over all batches, in limited memory. A
 * separate statement reads each batch. To read from one snapshot, use a REPEATABLE READ transaction.
 *
 * @param intervals closed, of any length
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function* streamSamples(
  client: SqlClient,
  deviceId: number,
  intervals: readonly Interval[],
): AsyncGenerator<SampleColumns, void, undefined> {
  const wanted = normaliseIntervals(intervals);
  let next = 0;
  for (const span of bucketSpans(wanted)) {
    let first = span.first;
    for (;;) {
      const headers = await readChunksInOrder(client, deviceId, first, span.last, CHUNKS_PER_BATCH);
      const parts: SampleColumns[] = [];
      for (const header of headers) {
        while ((wanted[next]?.stopMs ?? Number.POSITIVE_INFINITY) < header.startMs) next++;
        const chunk = selectFrom(deviceId, header, wanted, next);
        if (chunk !== null) parts.push(...(chunk.pieces ?? [decodeRow(deviceId, header)]));
      }
      if (parts.length > 0) yield concatColumns(parts);
      const last = headers.at(-1);
      if (last === undefined || headers.length < CHUNKS_PER_BATCH) break;
      first = last.bucket + 1;
    }
  }
}
