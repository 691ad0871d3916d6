import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { fitLine } from "../least-squares.js";
import type { MetricsOptions } from "../options.js";
import { roundHalfUp } from "../rounding.js";
import type { MetricSamples } from "../samples.js";
import { type StandardRun, selectedSeconds } from "./standard-runs.js";

/** Runs whose speeds differ by more than this, in m/s, are not compared. */
const SPEED_TOLERANCE = 0.2;
const LEAST_RUNS = 6;
/** Time constant of the heart rate, and the unused time at the start of a part without gaps, in s. */
const LAG_S = 40;
const SETTLING_S = 120;

/** The properties of a run that are compared. */
export type ComparedRun = Pick<StandardRun, "mean_speed" | "heart_rate">;

/** Differences between later runs and the runs of a baseline, in bpm with 1 decimal. Experimental. */
export interface StandardRunChanges {
  /** Number of runs in the baseline that are compared with each other. */
  readonly baseline_runs: number;
  readonly baseline_heart_rate: number | null;
  /** Standard deviation of successive differences, divided by √2; null with fewer than 6 runs. */
  readonly typical_error: number | null;
  /** 2 √2 times the typical error. A smaller change in a single run may not be real. */
  readonly limit: number | null;
  /** The change in each later run; null if nothing is comparable. */
  readonly changes: readonly (number | null)[];
}

/**
 * Compares the heart rates in later runs with those in a baseline, at one speed. Only runs within 0.2 m/s of the median speed of
 * the baseline are compared.
 *
 * @param baseline in chronological order
 * @throws AsiError `BAD_ARGUMENT` for invalid runs
 */
export function standardRunChanges(
  baseline: readonly ComparedRun[],
  later: readonly ComparedRun[] = [],
): StandardRunChanges {
  for (const run of [...baseline, ...later]) checkRun(run);
  const heard = baseline.filter(({ heart_rate }) => heart_rate !== null);
  const speed = medianOf(heard.map(({ mean_speed }) => mean_speed));
  const rateOf = ({ mean_speed, heart_rate }: ComparedRun) =>
    speed !== null && Math.abs(mean_speed - speed) <= SPEED_TOLERANCE + 1e-9 ? heart_rate : null;
  const rates = heard.map(rateOf).filter((rate) => rate !== null);
  const mean = rates.length === 0 ? null : meanOf(rates);
  const error = rates.length < LEAST_RUNS ? null : typicalError(rates);
  return {
    baseline_runs: rates.length,
    baseline_heart_rate: mean === null ? null : roundHalfUp(mean, 1),
    typical_error: error === null ? null : roundHalfUp(error, 1),
    limit: error === null ? null : roundHalfUp(2 * Math.SQRT2 * error, 1),
    changes: later.map((run) => {
      const rate = rateOf(run);
      return rate === null || mean === null ? null : roundHalfUp(rate - mean, 1);
    }),
  };
}

/**
 * Returns the typical error, not rounded.
 *
 * @param rates heart rates of at least 3 runs
 */
export function typicalError(rates: readonly number[]): number {
  const differences = rates.slice(1).map((rate, i) => rate - (rates[i] ?? 0));
  const mean = meanOf(differences);
  const squares = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return Math.sqrt(squares / (differences.length - 1) / 2);
}

/** The heart rate as a linear function of the speed, which it follows with a delay. Experimental. */
export interface HeartRateResponse {
  /** bpm per m/s, 2 decimals. */
  readonly slope: number;
  /** bpm, 1 decimal. */
  readonly intercept: number;
  /** Mean difference between each session and the line, in bpm with 1 decimal; null if unknown. */
  readonly residuals: readonly (number | null)[];
}

/**
 * Fits a line to heart rate against delayed speed in all seconds of the first sessions, and computes the difference between each
 * session and this line. Experimental.
 *
 * @param sessions samples of each session, in chronological order
 * @param baseline number of sessions to which the line is fitted
 * @returns null if no line can be fitted
 * @throws AsiError as `standardRuns`
 */
export function heartRateResponse(
  sessions: readonly (MetricSamples | Iterable<MetricSamples>)[],
  baseline: number,
  options: MetricsOptions = {},
): HeartRateResponse | null {
  if (!Number.isSafeInteger(baseline) || baseline < 1) {
    throw new AsiError("BAD_ARGUMENT", `baseline is ${shown(baseline)}; it must be a number of sessions.`);
  }
  const points = sessions.map((samples) => delayedPoints(samples, options));
  const fitted = points.slice(0, baseline).flat();
  const speeds = fitted.map(([speed]) => speed);
  if (speeds.every((speed) => speed === speeds[0])) return null;
  const line = fitLine(
    speeds,
    fitted.map(([, rate]) => rate),
  );
  return {
    slope: roundHalfUp(line.slope, 2),
    intercept: roundHalfUp(line.intercept, 1),
    residuals: points.map((own) =>
      own.length === 0
        ? null
        : roundHalfUp(meanOf(own.map(([speed, rate]) => rate - line.intercept - line.slope * speed)), 1),
    ),
  };
}

/**
 * Returns the delayed speed in m/s and the heart rate in each known second, without the first 120 s of each part without gaps.
 */
function delayedPoints(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions,
): [speed: number, heartRate: number][] {
  const share = 1 - Math.exp(-1 / LAG_S);
  return selectedSeconds(samples, options).seconds.flatMap(({ speedMmPerS, heartRate }) => {
    const points: [number, number][] = [];
    let delayed = 0;
    speedMmPerS.forEach((speed, k) => {
      delayed += (speed / 1000 - delayed) * share;
      const rate = heartRate[k] ?? 0;
      if (k >= SETTLING_S && rate > 0) points.push([delayed, rate]);
    });
    return points;
  });
}

function checkRun(run: ComparedRun): void {
  const isRun =
    typeof run === "object" &&
    run !== null &&
    Number.isFinite(run.mean_speed) &&
    (run.heart_rate === null || Number.isFinite(run.heart_rate));
  if (isRun) return;
  throw new AsiError(
    "BAD_ARGUMENT",
    `The run ${shown(run)} is invalid; it must have mean_speed and heart_rate as returned by standardRuns.`,
  );
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}
