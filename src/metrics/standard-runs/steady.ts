import type { Seconds } from "./seconds.js";

/** The minimum duration of a run, and of the means within it, in seconds. */
const LEAST_S = 240;
const WINDOW_S = 10;
const SLOWEST_MM_PER_S = 2500;
const FASTEST_MM_PER_S = 4500;

/** The seconds `first` to `end` (exclusive). */
export interface SteadyRun {
  readonly first: number;
  readonly end: number;
  /** Sum of the speeds of these seconds, mm/s. */
  readonly sumMmPerS: number;
}

/**
 * Finds steady runs, the earliest ones first: at least 240 s with a mean of 2.5 to 4.5 m/s, in which all means over 10 s are
 * within 10 % of this mean. Each run is extended second by second as long as this is true. Only integers are compared.
 */
export function steadyRuns({ speedMmPerS }: Seconds): SteadyRun[] {
  const sums = new Float64Array(speedMmPerS.length + 1);
  for (let k = 0; k < speedMmPerS.length; k++) sums[k + 1] = (sums[k] ?? 0) + (speedMmPerS[k] ?? 0);
  const sumOf = (first: number, end: number) => (sums[end] ?? 0) - (sums[first] ?? 0);
  // the lowest and the highest sum of 10 s
  const isSteady = (first: number, end: number, lowest: number, highest: number) => {
    const sum = sumOf(first, end);
    const seconds = end - first;
    // whether the sums over 10 s are within 10 % of the mean; both sides are multiplied by 10 x seconds
    return 9 * sum <= lowest * seconds && highest * seconds <= 11 * sum;
  };
  const hasSpeed = (first: number, end: number) => {
    const mean = sumOf(first, end) / (end - first);
    return mean >= SLOWEST_MM_PER_S && mean <= FASTEST_MM_PER_S;
  };
  // start of the last 10 s found that are not within 10 % of the mean; they are usually outside the limits for the next
  // candidate, too
  let outside = 0;
  const hasOutside = (first: number, end: number) => {
    const isOutside = (k: number) => {
      const sum = sumOf(k, k + WINDOW_S);
      return !isSteady(first, end, sum, sum);
    };
    if (outside >= first && isOutside(outside)) return true;
    for (outside = end - WINDOW_S; outside >= first; outside--) if (isOutside(outside)) return true;
    return false;
  };
  const runs: SteadyRun[] = [];
  let first = 0;
  while (first + LEAST_S <= speedMmPerS.length) {
    let end = first + LEAST_S;
    if (!hasSpeed(first, end) || hasOutside(first, end)) {
      first++;
      continue;
    }
    let lowest = Number.POSITIVE_INFINITY;
    let highest = 0;
    for (let k = first; k + WINDOW_S <= end; k++) {
      lowest = Math.min(lowest, sumOf(k, k + WINDOW_S));
      highest = Math.max(highest, sumOf(k, k + WINDOW_S));
    }
    for (; end < speedMmPerS.length; end++) {
      const added = sumOf(end + 1 - WINDOW_S, end + 1);
      lowest = Math.min(lowest, added);
      highest = Math.max(highest, added);
      if (!hasSpeed(first, end + 1) || !isSteady(first, end + 1, lowest, highest)) break;
    }
    runs.push({ first, end, sumMmPerS: sumOf(first, end) });
    first = end;
  }
  return runs;
}
