import type { SampleBatch } from "asi-convert";
import { gapsAfter } from "asi-convert/metrics";
import { KM_PER_H_OF_MM_PER_S } from "../../view/values.js";
import type { TimeWindow } from "../../view/window.js";

/** If columns have at least this length, sums of seconds are precise enough, ms. */
const SECONDS_FROM_MS = 3000;

/** Data of a recording for strips: sums of valid speeds up to each second. */
interface SpeedSums {
  limitMmPerS: number;
  startMs: number;
  /** The rows with a valid speed that precede a gap. Only narrow columns need them. */
  gapsAfter: ReadonlySet<number> | null;
  /** The sum of the speeds before each second from `startMs`, mm/s. */
  sums: Float64Array;
  counts: Uint32Array;
}

const known = new WeakMap<SampleBatch, SpeedSums>();

/**
 * Computes the mean speeds of a recording in columns of equal time.
 *
 * @param samples in chronological order
 * @param limitMmPerS faster rows are ignored, as in the figures
 * @returns km/h; NaN if there are no data
 */
export function meanSpeeds(
  samples: SampleBatch,
  { startMs, stopMs }: TimeWindow,
  columns: number,
  limitMmPerS: number,
): Float32Array {
  const means = new Float32Array(columns).fill(Number.NaN);
  const columnMs = (stopMs - startMs) / columns;
  if (samples.length === 0 || !(columnMs > 0)) return means;
  const speeds = sumsOf(samples, limitMmPerS);
  if (columnMs >= SECONDS_FROM_MS) bySeconds(means, speeds, startMs, columnMs);
  else byRows(means, samples, speeds, startMs, columnMs);
  return means;
}

function bySeconds(means: Float32Array, { sums, counts, ...own }: SpeedSums, startMs: number, ms: number) {
  const last = sums.length - 1;
  const secondAt = (column: number) =>
    Math.min(last, Math.max(0, Math.round((startMs + column * ms - own.startMs) / 1000)));
  for (let column = 0, from = secondAt(0); column < means.length; column++) {
    const to = secondAt(column + 1);
    const count = (counts[to] ?? 0) - (counts[from] ?? 0);
    if (count > 0) means[column] = (((sums[to] ?? 0) - (sums[from] ?? 0)) / count) * KM_PER_H_OF_MM_PER_S;
    from = to;
  }
}

function byRows(means: Float32Array, samples: SampleBatch, speeds: SpeedSums, startMs: number, ms: number) {
  const { timestampMs, speedMmPerS, length } = samples;
  const { limitMmPerS } = speeds;
  speeds.gapsAfter ??= gapRowsOf(samples, limitMmPerS);
  const gaps = speeds.gapsAfter;
  // a row before the first column may be valid in it
  const first = Math.max(0, firstAtOrAfter(timestampMs, startMs) - 1);
  let column = -1;
  let sum = 0;
  let count = 0;
  const finish = () => {
    if (count > 0 && column >= 0 && column < means.length)
      means[column] = (sum / count) * KM_PER_H_OF_MM_PER_S;
  };
  let before: { row: number; column: number; speed: number } | null = null;
  for (let i = first; i < length; i++) {
    const atMs = timestampMs[i] ?? 0;
    const speed = speedMmPerS[i] ?? -1;
    if (speed < 0 || speed > limitMmPerS) continue;
    const at = Math.floor((atMs - startMs) / ms);
    if (at !== column) {
      finish();
      // between two rows of one stretch, the speed of the first applies
      if (before !== null && !gaps.has(before.row)) {
        for (let held = Math.max(0, before.column + 1); held < Math.min(at, means.length); held++)
          means[held] = before.speed * KM_PER_H_OF_MM_PER_S;
      }
      column = at;
      sum = 0;
      count = 0;
    }
    if (at >= means.length) return;
    sum += speed;
    count += 1;
    before = { row: i, column: at, speed };
  }
  finish();
}

function sumsOf(samples: SampleBatch, limitMmPerS: number): SpeedSums {
  const found = known.get(samples);
  if (found?.limitMmPerS === limitMmPerS) return found;
  const { timestampMs, speedMmPerS, length } = samples;
  const startMs = Math.floor((timestampMs[0] ?? 0) / 1000) * 1000;
  const seconds = Math.floor(((timestampMs[length - 1] ?? 0) - startMs) / 1000) + 1;
  const sums = new Float64Array(seconds + 1);
  const counts = new Uint32Array(seconds + 1);
  for (let i = 0; i < length; i++) {
    const speed = speedMmPerS[i] ?? -1;
    if (speed < 0 || speed > limitMmPerS) continue;
    const after = Math.floor(((timestampMs[i] ?? 0) - startMs) / 1000) + 1;
    sums[after] = (sums[after] ?? 0) + speed;
    counts[after] = (counts[after] ?? 0) + 1;
  }
  for (let second = 1; second <= seconds; second++) {
    sums[second] = (sums[second] ?? 0) + (sums[second - 1] ?? 0);
    counts[second] = (counts[second] ?? 0) + (counts[second - 1] ?? 0);
  }
  const made: SpeedSums = { limitMmPerS, startMs, gapsAfter: null, sums, counts };
  known.set(samples, made);
  return made;
}

function gapRowsOf({ timestampMs, speedMmPerS, length }: SampleBatch, limitMmPerS: number): Set<number> {
  const recorded: number[] = [];
  const rows: number[] = [];
  for (let i = 0; i < length; i++) {
    const speed = speedMmPerS[i] ?? -1;
    if (speed < 0) continue;
    recorded.push(timestampMs[i] ?? 0);
    if (speed <= limitMmPerS) rows.push(i);
  }
  const times = Float64Array.from(rows, (row) => timestampMs[row] ?? 0);
  return new Set(gapsAfter(times, undefined, Float64Array.from(recorded)).map((at) => rows[at] ?? 0));
}

/** Returns the index of the first time that is not before an instant. Times are in ascending order. */
function firstAtOrAfter(timesMs: Float64Array, atMs: number): number {
  let low = 0;
  let high = timesMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesMs[middle] ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
