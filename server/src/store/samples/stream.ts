import { type BatchBounds, decodeRow, readBatchInOrder } from "./chunk-rows.js";
import { allocateColumns, copyAllColumns, type SampleColumns, sliceColumns } from "./columns.js";
import { bucketSpans, type Interval, normaliseIntervals } from "./intervals.js";
import { Pauses } from "./pauses.js";
import { type SelectedChunk, selectFrom } from "./selection.js";
import type { SqlClient } from "./sql-client.js";

/** Maximum size of a batch: 2.5 MB of columns, 32 full chunks at 10 Hz. */
const BATCH: BatchBounds = { chunks: 32, samples: 96_000 };

/**
 * Yields all samples of a device in the given intervals, with times strictly ascending over all batches, in limited memory. A
 * separate statement reads each batch, and other work can run between two chunks. To read from one snapshot, use a REPEATABLE READ transaction.
 *
 * @param intervals closed, of any length
 * @returns batches that are valid until the next one is requested, because they share memory. With new memory for each batch,
 *   tens of MB would accumulate before a garbage collection
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function* streamSamples(
  client: SqlClient,
  deviceId: number,
  intervals: readonly Interval[],
): AsyncGenerator<SampleColumns, void, undefined> {
  const wanted = normaliseIntervals(intervals);
  const pauses = new Pauses();
  const room = new BatchRoom(pauses);
  let next = 0;
  for (const span of bucketSpans(wanted)) {
    let first = span.first;
    for (;;) {
      const headers = await readBatchInOrder(client, deviceId, first, span.last, BATCH);
      const chunks: SelectedChunk[] = [];
      for (const header of headers) {
        await pauses.pauseIfDue();
        while ((wanted[next]?.stopMs ?? Number.POSITIVE_INFINITY) < header.startMs) next++;
        const chunk = selectFrom(deviceId, header, wanted, next);
        if (chunk !== null) chunks.push(chunk);
      }
      if (chunks.length > 0) yield await room.fill(deviceId, chunks);
      const last = headers.at(-1);
      if (last === undefined || last.bucket >= span.last) break;
      first = last.bucket + 1;
    }
  }
}

/** Columns that each batch overwrites. */
class BatchRoom {
  #columns = allocateColumns(0);
  readonly #pauses: Pauses;

  constructor(pauses: Pauses) {
    this.#pauses = pauses;
  }

  /** Decodes the chunks into the columns, which it enlarges if necessary. */
  async fill(deviceId: number, chunks: readonly SelectedChunk[]): Promise<SampleColumns> {
    const length = chunks.reduce((sum, { size }) => sum + size, 0);
    if (this.#columns.length < length) this.#columns = allocateColumns(length);
    const batch = sliceColumns(this.#columns, 0, length);
    // The decoder does not write missing values.
    batch.altitudeMm.fill(0);
    batch.hr.fill(0);
    let at = 0;
    for (const { header, pieces, size } of chunks) {
      await this.#pauses.pauseIfDue();
      const part = sliceColumns(batch, at, at + size);
      if (pieces === null) decodeRow(deviceId, header, part);
      else copyAllColumns(pieces, part);
      at += size;
    }
    return batch;
  }
}
