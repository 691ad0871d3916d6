import { findRanges, joinBatches, type SampleBatch } from "asi-convert";
import { type GapRule, gapsAfter } from "asi-convert/metrics";
import { project, type Track } from "../map/projection.js";
import { buildPyramid, type Pyramid, type Series } from "../plots/pyramid.js";
import type { ChannelName, Facts, Recording } from "./recording.js";

const TWO_DIMENSIONAL = 2;
// A line is interrupted where the figures begin a new segment. Heart rates are less frequent,
// so their line is interrupted after a longer gap.
const HEART_RATE_GAP = { minMs: 5000, steps: 5 };

export type FactsOfFile = Omit<Facts, "rows" | "ranges" | "isReordered">;

/**
 * Prepares rows for plots and map.
 *
 * @param origin origin of the map; default: the first row
 */
export function prepare(
  id: number,
  batches: readonly SampleBatch[],
  facts: FactsOfFile,
  origin?: Track["origin"],
): { recording: Recording; rows: SampleBatch } {
  const { rows, isReordered } = inTimeOrder(batches);
  const { timestampMs: timesMs, latitudeE7, longitudeE7 } = rows;
  const mapOrigin = origin ?? { latitudeE7: latitudeE7[0] ?? 0, longitudeE7: longitudeE7[0] ?? 0 };
  const recording: Recording = {
    id,
    facts: { ...facts, rows: rows.length, ranges: findRanges(timesMs), isReordered },
    track: {
      timesMs,
      ...project(latitudeE7, longitudeE7, mapOrigin),
      speed: rows.speedMmPerS,
      origin: mapOrigin,
      gapsAfter: new Set(gapsAfter(timesMs)),
    },
    channels: channelsOf(rows),
    startMs: timesMs[0] ?? 0,
    stopMs: timesMs.at(-1) ?? 0,
  };
  return { recording, rows };
}

/** Returns all rows in ascending order of time. */
export function inTimeOrder(batches: readonly SampleBatch[]): { rows: SampleBatch; isReordered: boolean } {
  const received = joinBatches(batches);
  const order = timeOrder(received.timestampMs);
  return { rows: order === null ? received : reordered(received, order), isReordered: order !== null };
}

function channelsOf(rows: SampleBatch): Recording["channels"] {
  const channels: Partial<Record<ChannelName, Pyramid>> = {};
  const addChannel = (name: ChannelName, series: Omit<Series, "gapsAfter">, gap?: GapRule) => {
    if (series.values.length === 0) return;
    channels[name] = buildPyramid({ ...series, gapsAfter: new Set(gapsAfter(series.timesMs, gap)) });
  };
  addChannel("speed", { timesMs: rows.timestampMs, values: rows.speedMmPerS });
  const rates = where(rows, (row) => rows.hr[row] !== 0);
  const heartRates = { timesMs: pick(rows.timestampMs, rates), values: pick(rows.hr, rates) };
  addChannel("heartRate", heartRates, HEART_RATE_GAP);
  const altitudes = where(rows, (row) => rows.fixType[row] !== TWO_DIMENSIONAL);
  addChannel("altitude", {
    timesMs: pick(rows.timestampMs, altitudes),
    values: pick(rows.altitudeMm, altitudes),
  });
  return channels;
}

// Returns the numbers of the rows that satisfy `isWanted`, or null for all rows.
function where({ length }: SampleBatch, isWanted: (row: number) => boolean): Uint32Array | null {
  let count = 0;
  for (let row = 0; row < length; row++) if (isWanted(row)) count += 1;
  if (count === length) return null;
  const rows = new Uint32Array(count);
  let at = 0;
  for (let row = 0; row < length; row++) if (isWanted(row)) rows[at++] = row;
  return rows;
}

type Values = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

function pick<T extends Values>(values: T, rows: Uint32Array | null): T {
  if (rows === null) return values;
  const picked = new (values.constructor as new (length: number) => T)(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i] as number] as number;
  return picked;
}

/** Returns the order of the rows by time, or null if they are already in order. Rows with the same time keep their order. */
function timeOrder(timesMs: Float64Array): Uint32Array | null {
  let isAscending = true;
  for (let i = 1; i < timesMs.length && isAscending; i++) {
    isAscending = (timesMs[i] as number) >= (timesMs[i - 1] as number);
  }
  if (isAscending) return null;
  return Uint32Array.from(timesMs.keys()).sort(
    (a, b) => (timesMs[a] as number) - (timesMs[b] as number) || a - b,
  );
}

function reordered({ quality, ...rows }: SampleBatch, order: Uint32Array): SampleBatch {
  return {
    ...pickEach(rows, order),
    ...(quality !== undefined && { quality: pickEach({ ...quality }, order) }),
  };
}

const pickEach = <Columns extends Record<string, number | Values>>(columns: Columns, order: Uint32Array) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      typeof column === "number" ? column : pick(column, order),
    ]),
  ) as Columns;
