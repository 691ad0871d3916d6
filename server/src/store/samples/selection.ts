import { bucketOf } from "./bucket.js";
import { type ChunkHeader, decodeRow } from "./chunk-rows.js";
import { lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import { readHeaders, readHeadersOf } from "./headers.js";
import { type Interval, normaliseIntervals } from "./intervals.js";
import type { SqlClient } from "./sql-client.js";

/** Samples of one chunk within the wanted intervals; at least one. */
export interface SelectedChunk {
  header: ChunkHeader;
  /** First wanted sample, ms since 1970 UTC. */
  startMs: number;
  /** Last wanted sample, ms since 1970 UTC. */
  stopMs: number;
  /** Number of wanted samples. */
  size: number;
  /** Wanted samples if intervals cut the chunk; null if the whole chunk is wanted and was not decoded. */
  pieces: SampleColumns[] | null;
}

/**
 * Reads the samples of a device in the given intervals with one statement, chunk by chunk, ascending. Decodes only chunks that an
 * interval cuts.
 *
 * @param payloads "edges" reads only the payloads of chunks that intervals cut, "all" reads all payloads, and positions also read
 *   the payloads of chunks with samples at these positions, where samples outside the intervals count
 */
export async function selectChunks(
  client: SqlClient,
  deviceId: number,
  intervals: readonly Interval[],
  payloads: "edges" | "all" | { from: number; to: number },
): Promise<SelectedChunk[]> {
  const wanted = normaliseIntervals(intervals);
  const first = wanted[0];
  const last = wanted.at(-1);
  if (first === undefined || last === undefined) return [];
  const headers = await readHeaders(
    client,
    deviceId,
    bucketOf(first.startMs),
    bucketOf(last.stopMs),
    payloads === "all"
      ? "all"
      : { buckets: edgeBuckets(wanted), ...(payloads === "edges" ? {} : { positions: payloads }) },
  );
  return chunksWithin(deviceId, headers, wanted);
}

/** Selects chunks, ascending, by their headers. @param wanted normalised intervals */
function chunksWithin(
  deviceId: number,
  headers: readonly ChunkHeader[],
  wanted: readonly Interval[],
): SelectedChunk[] {
  const selected: SelectedChunk[] = [];
  let next = 0;
  for (const header of headers) {
    while ((wanted[next]?.stopMs ?? Number.POSITIVE_INFINITY) < header.startMs) next++;
    const chunk = selectFrom(deviceId, header, wanted, next);
    if (chunk !== null) selected.push(chunk);
  }
  return selected;
}

/** A device, and closed intervals of its samples. */
export interface DeviceIntervals {
  deviceId: number;
  intervals: readonly Interval[];
}

/**
 * Reads the headers of the chunks of several devices with one statement, and the payloads of the chunks that intervals cut. Reads
 * headers from the first to the last time of all devices.
 * @param devices each once
 * @returns function that selects the chunks of a device like `selectChunks`, ascending
 */
export async function selectEdgesOf(
  client: SqlClient,
  devices: readonly DeviceIntervals[],
): Promise<(deviceId: number) => SelectedChunk[]> {
  const wantedOf = new Map<number, Interval[]>();
  for (const { deviceId, intervals } of devices) {
    const wanted = normaliseIntervals(intervals);
    if (wanted.length > 0) wantedOf.set(deviceId, wanted);
  }
  const edges = [...wantedOf].map(([deviceId, wanted]) => ({ deviceId, payloadsOf: edgeBuckets(wanted) }));
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const wanted of wantedOf.values()) {
    first = Math.min(first, bucketOf(wanted[0]?.startMs ?? 0));
    last = Math.max(last, bucketOf(wanted.at(-1)?.stopMs ?? 0));
  }
  const headersOf = await readHeadersOf(client, edges, first, last);
  return (deviceId) => chunksWithin(deviceId, headersOf(deviceId), wantedOf.get(deviceId) ?? []);
}

/**
 * Returns the samples of a chunk within the intervals from index `next`; null if there are none.
 *
 * @param wanted normalised intervals; intervals before `next` end before the chunk starts
 */
export function selectFrom(
  deviceId: number,
  header: ChunkHeader,
  wanted: readonly Interval[],
  next: number,
): SelectedChunk | null {
  const interval = wanted[next];
  if (interval === undefined || interval.startMs > header.stopMs) return null;
  const { startMs, stopMs, size } = header;
  if (interval.startMs <= startMs && stopMs <= interval.stopMs)
    return { header, startMs, stopMs, size, pieces: null };
  return clipChunk(header, decodeRow(deviceId, header), wanted, next);
}

function clipChunk(
  header: ChunkHeader,
  samples: SampleColumns,
  wanted: readonly Interval[],
  next: number,
): SelectedChunk | null {
  const pieces: SampleColumns[] = [];
  let size = 0;
  for (let at = next; at < wanted.length; at++) {
    const interval = wanted[at];
    if (interval === undefined || interval.startMs > header.stopMs) break;
    const from = lowerBound(samples.timestampMs, samples.length, interval.startMs);
    const to = lowerBound(samples.timestampMs, samples.length, interval.stopMs + 1);
    if (from === to) continue;
    pieces.push(sliceColumns(samples, from, to));
    size += to - from;
  }
  const first = pieces[0];
  const last = pieces.at(-1);
  if (first === undefined || last === undefined) return null;
  return {
    header,
    startMs: first.timestampMs[0] ?? 0,
    stopMs: last.timestampMs[last.length - 1] ?? 0,
    size,
    pieces,
  };
}

/** Returns the buckets in which an interval starts or ends; no other bucket can be cut. */
function edgeBuckets(wanted: readonly Interval[]): number[] {
  const edges = new Set<number>();
  for (const { startMs, stopMs } of wanted) edges.add(bucketOf(startMs)).add(bucketOf(stopMs));
  return [...edges];
}
