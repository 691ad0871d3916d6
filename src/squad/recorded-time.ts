import { gapsAfter } from "../metrics/segments.js";
import type { SampleBatch } from "../types.js";
import { type Interval, lengthOf, united } from "./interval.js";

const SECOND_MS = 1000;

/** Maximum break within a session. A longer break means another day, or a wrong clock *(choice)*. */
const MAX_BREAK_MS = 6 * 3_600_000;
/** A stretch with at least this share of the recorded time determines the time of the session *(choice)*. */
const MAIN_SHARE = 0.75;

/** The times of a recording's rows. */
type Times = Pick<SampleBatch, "length" | "timestampMs">;

/**
 * Returns the intervals with data of a recording, in the order of the rows. Each lasts from the first row of a segment to its last; the
 * gaps are those of the figures (docs/metrics.md). A step back in time begins a new interval.
 */
export function recordedSpans({ length, timestampMs }: Times): Interval[] {
  const gaps = gapsAfter(timestampMs.subarray(0, length));
  const spans: Interval[] = [];
  let startMs = timestampMs[0] ?? 0;
  let endMs = startMs;
  // the loop runs over millions of rows; gaps are in the order of rows
  for (let row = 1, gap = 0; row < length; row++) {
    const ms = timestampMs[row] ?? 0;
    const isAfterGap = gaps[gap] === row - 1;
    if (isAfterGap) gap++;
    if (isAfterGap || ms < endMs) {
      spans.push({ startMs, endMs });
      startMs = ms;
    }
    endMs = ms;
  }
  if (length > 0) spans.push({ startMs, endMs });
  return spans;
}

/** The time of a session that its figures cover. */
export interface SessionTime {
  /** The duration, ms, of the whole seconds in which at least one player has data. Breaks without recordings are not part of it. */
  ms: number;
  /** The main time of the session, if there are rows of another time, which do not count; null if all rows count. */
  intervals: readonly Interval[] | null;
}

/** Returns the time of a session. Rows outside of its main time are of another session, or have a wrong date. */
export function sessionTime(recordings: readonly { samples: Times }[]): SessionTime {
  const main = mainInterval(recordings);
  const spans = recordings.flatMap(({ samples }) => recordedSpans(samples));
  const own = spans.filter(({ startMs }) => startMs >= main.startMs && startMs < main.endMs);
  return { ms: secondsOf(own), intervals: own.length === spans.length ? null : [main] };
}

/** Returns the duration, in ms, of the whole seconds with data. */
export const timeWithData = (samples: Times): number => secondsOf(recordedSpans(samples));

const secondsOf = (spans: readonly Interval[]): number =>
  lengthOf(
    united(
      spans.map(({ startMs, endMs }) => ({
        startMs: Math.floor(startMs / SECOND_MS) * SECOND_MS,
        endMs: (Math.floor(endMs / SECOND_MS) + 1) * SECOND_MS,
      })),
    ),
  );

/** Returns the time that is in both of two lists of disjoint intervals, ms. */
const commonMs = (a: readonly Interval[], b: readonly Interval[]) =>
  lengthOf(a) + lengthOf(b) - lengthOf(united([...a, ...b]));

const recordedTimes = (recordings: readonly { samples: Times }[]) =>
  united(recordings.flatMap(({ samples }) => recordedSpans(samples)));

/** Returns the part of some disjoint intervals in which recordings have data, ms. */
export const recordedWithinMs = (
  recordings: readonly { samples: Times }[],
  intervals: readonly Interval[],
): number => (intervals.length === 0 ? 0 : commonMs(recordedTimes(recordings), intervals));

/** Returns the time during which both recordings have data, ms. */
export const commonTimeMs = (a: SampleBatch, b: SampleBatch): number =>
  commonMs(recordedTimes([{ samples: a }]), recordedTimes([{ samples: b }]));

/** A recorded period without a long break. */
interface Stretch extends Interval {
  recordedMs: number;
}

/**
 * Returns the time of a session, which determines the day of times without a date. It lasts from the first row to the last. A few rows of
 * another day are excluded, such as rows that a tracker wrote before it received the date.
 *
 * @param recordings the recordings of one session
 */
export function mainInterval(recordings: readonly { samples: Times }[]): Interval {
  const stretches = stretchesOf(recordings);
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return { startMs: 0, endMs: 0 };
  const neededMs = MAIN_SHARE * stretches.reduce((sum, { recordedMs }) => sum + recordedMs, 0);
  const { startMs, endMs } = stretches.find(({ recordedMs }) => recordedMs >= neededMs) ?? {
    startMs: first.startMs,
    endMs: last.endMs,
  };
  return { startMs, endMs: endMs + 1 };
}

/** Returns the recorded periods in chronological order. They are divided at breaks that are so long that another day follows. */
export function stretchesOf(recordings: readonly { samples: Times }[]): Stretch[] {
  const spans = recordings
    .flatMap(({ samples }) => recordedSpans(samples))
    .sort((a, b) => a.startMs - b.startMs);
  const stretches: Stretch[] = [];
  for (const { startMs, endMs } of spans) {
    const last = stretches.at(-1);
    if (last === undefined || startMs - last.endMs > MAX_BREAK_MS)
      stretches.push({ startMs, endMs, recordedMs: endMs - startMs });
    else {
      last.endMs = Math.max(last.endMs, endMs);
      last.recordedMs += endMs - startMs;
    }
  }
  return stretches;
}
