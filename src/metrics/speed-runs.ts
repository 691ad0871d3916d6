import type { SpeedRun, SpeedRuns } from "./metrics.js";
import { inThousandths } from "./parameters.js";
import type { PreparedSignal, Segment } from "./prepare.js";
import { durationSeconds, fromThousandths, metres } from "./rounding.js";
import { stepMs } from "./segments.js";

/** Sprints less than 0.5 s apart are joined (the tolerance of Fitogether). */
const SPRINT_MERGED_BELOW_MS = 500;

/** Minimum duration of a sprint: 1.0 s (the default of STATSports). */
const SHORTEST_SPRINT_MS = 1000;

/** Runs, and their total distance in m, summed before rounding. */
export interface MeasuredRuns {
  readonly runs: SpeedRuns;
  readonly distance: number;
}

/** Samples `first` to `last` (both inclusive) of the prepared signal. */
interface Run {
  readonly first: number;
  last: number;
}

/**
 * Finds sprints: consecutive intervals whose mean speed is at or above the threshold, joined across short interruptions. Sprints
 * that are too short are dropped.
 *
 * @param threshold m/s
 */
export function findSprints(signal: PreparedSignal, threshold: number): MeasuredRuns {
  const t = signal.timestampMs;
  const sprints: Run[] = [];
  for (const segment of signal.segments) {
    const merged: Run[] = [];
    for (const run of runsAtOrAbove(signal, segment, threshold)) {
      const previous = merged.at(-1);
      if (previous && (t[run.first] ?? 0) - (t[previous.last] ?? 0) < SPRINT_MERGED_BELOW_MS) {
        previous.last = run.last;
      } else {
        merged.push(run);
      }
    }
    for (const run of merged) {
      if ((t[run.last] ?? 0) - (t[run.first] ?? 0) >= SHORTEST_SPRINT_MS) sprints.push(run);
    }
  }
  return measure(signal, threshold, sprints);
}

/**
 * Finds the runs for high-intensity distance: consecutive intervals whose mean speed is at or above the threshold. They have any
 * duration and are never joined, so their distances add up to the distance at or above the threshold.
 *
 * @param threshold m/s
 */
export function findHighIntensityRuns(signal: PreparedSignal, threshold: number): MeasuredRuns {
  const runs = signal.segments.flatMap((segment) => runsAtOrAbove(signal, segment, threshold));
  return measure(signal, threshold, runs);
}

function measure(signal: PreparedSignal, threshold: number, runs: readonly Run[]): MeasuredRuns {
  let distanceHalfUm = 0;
  const values = runs.map((run) => {
    const ofRun = distanceOf(signal, run);
    distanceHalfUm += ofRun;
    return describe(signal, run, ofRun);
  });
  return { runs: { threshold, values }, distance: metres(distanceHalfUm) };
}

/** Returns the distance of a run in half micrometres. */
function distanceOf(signal: PreparedSignal, { first, last }: Run): number {
  let distanceHalfUm = 0;
  for (let i = first; i < last; i++) {
    distanceHalfUm += (signal.intervalSpeedSum[i] ?? 0) * stepMs(signal.timestampMs, i);
  }
  return distanceHalfUm;
}

function runsAtOrAbove(signal: PreparedSignal, { first, last }: Segment, threshold: number): Run[] {
  const runs: Run[] = [];
  const doubleThreshold = 2 * inThousandths(threshold);
  let runFirst = -1;
  for (let i = first; i <= last; i++) {
    const isAbove = i < last && (signal.intervalSpeedSum[i] ?? 0) >= doubleThreshold;
    if (isAbove && runFirst < 0) runFirst = i;
    if (!isAbove && runFirst >= 0) {
      runs.push({ first: runFirst, last: i });
      runFirst = -1;
    }
  }
  return runs;
}

function describe(signal: PreparedSignal, { first, last }: Run, distanceHalfUm: number): SpeedRun {
  let maxMmPerS = signal.speedMmPerS[last] ?? 0;
  for (let i = first; i < last; i++) {
    maxMmPerS = Math.max(maxMmPerS, signal.speedMmPerS[i] ?? 0);
  }
  const startMs = signal.timestampMs[first] ?? 0;
  return {
    start_time: startMs,
    duration: durationSeconds((signal.timestampMs[last] ?? 0) - startMs),
    max_value: fromThousandths(maxMmPerS),
    distance: metres(distanceHalfUm),
  };
}
