import { type ChunkHeader, decodeRow, readChunks } from "./chunk-rows.js";
import { allocateColumns, copyAllColumns, type SampleColumns, sliceColumns } from "./columns.js";
import type { Interval } from "./intervals.js";
import { type SelectedChunk, selectChunks } from "./selection.js";
import type { SqlClient } from "./sql-client.js";

/** A page of samples with strictly ascending times. */
export interface SamplePage {
  /** Number of all samples in the intervals. */
  count: number;
  /** Samples of the page; none after the last page. */
  columns: SampleColumns;
  /**
   * Text that identifies the sources of the samples. For equal intervals, equal texts imply equal samples. The text has
   * a tenth of the bytes of the samples.
   */
  source: readonly string[];
}

/**
 * Expected maximum number of samples before a page that are outside the intervals: the samples of a chunk at 10 Hz. If
 * there are more, a second statement reads the rest of the page.
 */
const CUT_SAMPLES = 3000;

/**
 * Returns one page of a device's samples in the given intervals, and their total number. Reads the headers of the chunks, and
 * only payloads that the page needs or that an interval cuts, and one or two next to them.
 *
 * @param intervals closed; the cost grows with the time from the first start to the last stop (the service allows
 *                  2 days)
 * @param offset    samples before the page, from 0
 * @param limit     maximum number of samples of the page, from 1
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function readPage(
  client: SqlClient,
  deviceId: number,
  intervals: readonly Interval[],
  offset: number,
  limit: number,
): Promise<SamplePage> {
  // The positions include samples outside the intervals, so the page may begin that many samples later.
  const selected = await selectChunks(client, deviceId, intervals, {
    from: offset,
    to: offset + limit + CUT_SAMPLES,
  });
  const slices = partsOfPage(selected, offset, limit);
  const isRead = ({ pieces, header }: SelectedChunk) => pieces !== null || header.payload !== null;
  const missing = slices.flatMap(({ chunk }) => (isRead(chunk) ? [] : [chunk.header.bucket]));
  const chunks = new Map(
    (await readChunks(client, deviceId, missing)).map((header) => [header.bucket, header]),
  );
  if (slices.every(({ chunk }) => isRead(chunk) || isSame(chunk.header, chunks.get(chunk.header.bucket))))
    return pageOf(deviceId, selected, slices, (header) => chunks.get(header.bucket) ?? header);

  // A load or retention has changed samples between the two statements. Read everything with one statement, from one snapshot.
  const whole = await selectChunks(client, deviceId, intervals, "all");
  return pageOf(deviceId, whole, partsOfPage(whole, offset, limit), (header) => header);
}

/** Samples `[from, to)` of the selected samples of a chunk. */
interface PagePart {
  chunk: SelectedChunk;
  from: number;
  to: number;
}

function partsOfPage(selected: readonly SelectedChunk[], offset: number, limit: number): PagePart[] {
  const slices: PagePart[] = [];
  let before = 0;
  for (const chunk of selected) {
    const from = Math.max(0, offset - before);
    const to = Math.min(chunk.size, offset + limit - before);
    if (from < to) slices.push({ chunk, from, to });
    before += chunk.size;
    if (before >= offset + limit) break;
  }
  return slices;
}

function isSame(header: ChunkHeader, read: ChunkHeader | undefined): boolean {
  return read?.size === header.size && read.startMs === header.startMs && read.stopMs === header.stopMs;
}

function pageOf(
  deviceId: number,
  selected: readonly SelectedChunk[],
  slices: readonly PagePart[],
  withPayload: (header: ChunkHeader) => ChunkHeader,
): SamplePage {
  return {
    count: selected.reduce((sum, { size }) => sum + size, 0),
    columns: samplesOfPage(deviceId, slices, withPayload),
    source: slices.flatMap(({ chunk: { header }, from, to }) => [
      ` ${header.bucket} ${from} ${to} `,
      withPayload(header).payload ?? "",
    ]),
  };
}

/** Decodes the chunks next to each other, because copies of the samples would cause more garbage collections. */
function samplesOfPage(
  deviceId: number,
  slices: readonly PagePart[],
  withPayload: (header: ChunkHeader) => ChunkHeader,
): SampleColumns {
  const all = allocateColumns(slices.reduce((sum, { chunk }) => sum + chunk.size, 0));
  let at = 0;
  for (const { chunk } of slices) {
    const room = sliceColumns(all, at, at + chunk.size);
    if (chunk.pieces === null) decodeRow(deviceId, withPayload(chunk.header), room);
    else copyAllColumns(chunk.pieces, room);
    at += chunk.size;
  }
  // Only the first chunk has samples before the page, and only the last one has samples after it.
  const before = slices[0]?.from ?? 0;
  return sliceColumns(all, before, before + slices.reduce((sum, { from, to }) => sum + to - from, 0));
}
