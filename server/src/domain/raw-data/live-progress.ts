import {
  type AddedSamples,
  concatColumns,
  type Interval,
  type KnownSamples,
  lowerBound,
  piecesIn,
  type SampleColumns,
  sliceColumns,
} from "../../store/samples/index.js";
import { LATEST_LIMITS } from "../../wire/page-limits.js";

/**
 * A sample that is at least this far ahead of the server's clock comes from a tracker with a fast clock, and does not affect
 * other samples.
 */
const AHEAD_MS = 10_000;

/** Progress of a client in the samples of a device. */
export interface Progress {
  /**
   * Time of the newest sample, ms since 1970 UTC, but not later than now: a client that reconnects requests newer samples, and one sample
   * ahead of the clock must not hide the others. Null to begin with the newest sample.
   */
  lastMs: number | null;
  /** Time of the newest sample that is not ahead of the clock. Samples up to this time are late. */
  frontMs: number;
  /** Null before the first poll. */
  known: KnownSamples | null;
}

export const progressFrom = (lastMs: number | null): Progress => ({
  lastMs,
  // Even after a break, samples up to the newest one that the client has received are late.
  frontMs: lastMs ?? Number.NEGATIVE_INFINITY,
  known: null,
});

/** New samples of a device for the client. */
export interface Advance {
  /** Samples that a tracker has sent after newer samples. */
  late: SampleColumns;
  inTime: SampleColumns;
  progress: Progress;
}

/**
 * Returns the samples since the last poll, at most the newest 300. At the first poll, returns the samples after `lastMs`, or the
 * newest sample if `lastMs` is null.
 * @param times of the samples that the client may have: closed, ascending, disjoint
 */
export function advance(
  { lastMs, frontMs, known }: Progress,
  added: AddedSamples,
  times: readonly Interval[],
  nowMs: number,
): Advance {
  const found = samplesIn(added.samples, times);
  const { timestampMs, length } = found;
  const first =
    known !== null ? 0 : lastMs === null ? length - 1 : lowerBound(timestampMs, length, lastMs + 1);
  const samples = sliceColumns(found, Math.max(0, first, length - LATEST_LIMITS.max), length);
  const lateCount = lowerBound(samples.timestampMs, samples.length, frontMs + 1);
  const late = sliceColumns(samples, 0, lateCount);
  const inTime = sliceColumns(samples, lateCount, samples.length);
  const newestMs = samples.timestampMs[samples.length - 1];
  if (newestMs === undefined) return { late, inTime, progress: { lastMs, frontMs, known: added.known } };
  const notAhead = lowerBound(samples.timestampMs, samples.length, nowMs + AHEAD_MS);
  return {
    late,
    inTime,
    progress: {
      lastMs: Math.max(Math.min(newestMs, nowMs), lastMs ?? Number.NEGATIVE_INFINITY),
      frontMs: Math.max(frontMs, samples.timestampMs[notAhead - 1] ?? frontMs),
      known: added.known,
    },
  };
}

/** Returns the samples within closed, ascending, disjoint times. */
export function samplesIn(samples: SampleColumns, times: readonly Interval[]): SampleColumns {
  const parts = piecesIn(samples, times);
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : concatColumns(parts);
}
