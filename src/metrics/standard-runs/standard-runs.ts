import { AsiError } from "../../errors.js";
import { checkOptions, type MetricsOptions } from "../options.js";
import { inThousandths } from "../parameters.js";
import { durationOf, validSpeeds } from "../prepare.js";
import type { MetricParameters } from "../presets.js";
import { divideRoundingHalfUp } from "../rounding.js";
import { type MetricSamples, orderSamples, selectSamples } from "../samples.js";
import { type Seconds, secondsOf } from "./seconds.js";
import { type SteadyRun, steadyRuns } from "./steady.js";

/** Version of the rules for standard runs. */
export const STANDARD_RUNS_VERSION = 1;

/** The caution that accompanies standard runs in every output. */
export const STANDARD_RUNS_CAUTION =
  "Experimental: the rules were tested on a simulation without heat, drift and fatigue. Heart rates in standard runs are reliable in supervised tests (Shushan et al. 2023), but runs found in training are not supervised tests.";

/** Length of the last part of a run, whose heart rate is used, and the minimum time with a known heart rate in this part, s. */
const HEART_S = 30;
const LEAST_KNOWN_S = 27;

/** All seconds are kept in memory. */
const LONGEST_HOURS = 72;
const HOUR_MS = 3_600_000;

/** A steady run found in training. */
export interface StandardRun {
  /** ms since 1970 UTC. */
  readonly start_time: number;
  /** s, at least 240 */
  readonly duration: number;
  /** m/s */
  readonly mean_speed: number;
  /** Mean in the last 30 s, bpm; null if fewer than 27 s are known. */
  readonly heart_rate: number | null;
}

/** The standard runs in a session (docs/metrics.md, "Standard runs"). Experimental. */
export interface StandardRuns {
  readonly runs: readonly StandardRun[];
  readonly caution: string;
  readonly definition: { readonly version: number; readonly parameters: MetricParameters };
}

/**
 * Finds steady runs of at least 4 minutes in a session, with the heart rate at their end. Experimental, off by default everywhere.
 *
 * @throws AsiError `BAD_ARGUMENT` for invalid samples, or more than 72 hours of them; `BAD_OPTION`
 */
export function standardRuns(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions = {},
): StandardRuns {
  const { seconds, parameters } = selectedSeconds(samples, options);
  return {
    runs: seconds.flatMap((stretch) => steadyRuns(stretch).map((run) => standardRun(stretch, run))),
    caution: STANDARD_RUNS_CAUTION,
    definition: { version: STANDARD_RUNS_VERSION, parameters },
  };
}

/** Returns the seconds that the options select. */
export function selectedSeconds(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions,
): { seconds: readonly Seconds[]; parameters: MetricParameters } {
  const { parameters, periods, fromMs, toMs } = checkOptions(options);
  const selected = selectSamples(
    orderSamples(samples),
    fromMs ?? Number.NEGATIVE_INFINITY,
    toMs ?? Number.POSITIVE_INFINITY,
    periods,
  );
  // the mean over a second needs no median filter, which would change the speeds at one sample per second
  const speeds = validSpeeds(selected, { maxValidMmPerS: inThousandths(parameters.max_valid_speed) });
  const hours = Math.ceil(durationOf(speeds) / HOUR_MS);
  if (hours > LONGEST_HOURS) {
    throw new AsiError(
      "BAD_ARGUMENT",
      `The samples cover ${hours} hours; standard runs are computed for at most ${LONGEST_HOURS}. Select a part with from and to.`,
    );
  }
  return { seconds: secondsOf(selected, speeds), parameters };
}

function standardRun({ startMs, heartRate }: Seconds, { first, end, sumMmPerS }: SteadyRun): StandardRun {
  const known = heartRate.subarray(end - HEART_S, end).filter((bpm) => bpm > 0);
  return {
    start_time: startMs + 1000 * first,
    duration: end - first,
    mean_speed: divideRoundingHalfUp(sumMmPerS, 1000 * (end - first), 3),
    heart_rate:
      known.length < LEAST_KNOWN_S
        ? null
        : divideRoundingHalfUp(
            known.reduce((sum, bpm) => sum + bpm, 0),
            known.length,
            1,
          ),
  };
}
