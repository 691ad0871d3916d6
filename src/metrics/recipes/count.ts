import { AsiError } from "../../errors.js";
import { derivatives, isFastEnough, resampledSegments } from "../acceleration.js";
import { checkOptions, type MetricsOptions } from "../options.js";
import { durationOf, type PreparedSignal, prepareBy } from "../prepare.js";
import { divideRoundingHalfUp, durationSeconds, fromThousandths, roundHalfUp } from "../rounding.js";
import { type MetricSamples, type OrderedSamples, orderSamples, selectSamples } from "../samples.js";
import { stepMs } from "../segments.js";
import { shared } from "../shared.js";
import { recipeHash } from "./canonical.js";
import { checkRecipe } from "./check.js";
import { gatedSamples } from "./gate.js";
import type { Recipe } from "./recipe.js";
import { joinedRuns, type Run, type Series, timeAt } from "./runs.js";
import { smoothedBy } from "./smooth.js";

/** Version of the rules for recipes. */
export const RECIPES_VERSION = 1;

const HOUR_MS = 3_600_000;

/** Maximum number of values in equal steps: 72 hours at 10 Hz, as for peak demands. */
const MOST_VALUES = (72 * HOUR_MS) / 100;

/** Options that select the samples. */
export type RecipeOptions = Pick<MetricsOptions, "from" | "to" | "periods">;

export interface RecipeRun {
  /** ms since 1970 UTC. */
  readonly start_time: number;
  /** s */
  readonly duration: number;
  /** Highest speed in m/s, or peak of the acceleration in m/s2; negative for decelerations. */
  readonly max_value: number;
  /** m */
  readonly distance: number;
}

/** Numbers of dropped samples. */
export interface RecipeDropped {
  /** Samples that do not pass the gate, regardless of their speed. */
  readonly gate: number;
  /** Duration of the intervals that begin or end with one of these samples, s. Present only for a recipe with a gate. */
  readonly gate_duration?: number;
  /** Samples that pass the gate but are faster than `max_valid`. */
  readonly too_fast: number;
}

/** The result of counting with a recipe. */
export interface RecipeResult {
  /** SHA-256 of the canonical recipe. */
  readonly hash: string;
  /** Number of runs; null if a derivative is required and there are fewer than 5 samples per second. */
  readonly count: number | null;
  /** Sum of the distances of the runs, rounded once; m. */
  readonly distance: number | null;
  /** Sum of the durations of the runs; s. */
  readonly duration: number | null;
  readonly runs: readonly RecipeRun[];
  readonly dropped: RecipeDropped;
  readonly definition: { readonly version: number; readonly recipe: Recipe };
}

/**
 * Counts runs or efforts as a recipe defines them.
 *
 * @param samples a batch of `decode`, or all of them
 * @throws AsiError `BAD_ARGUMENT` for invalid samples, for samples without quality if the recipe has a gate, and for more than 72
 * hours if the recipe has values at 10 Hz; `BAD_OPTION` for an invalid recipe or invalid limits
 */
export function computeRecipe(
  samples: MetricSamples | Iterable<MetricSamples>,
  recipe: Recipe,
  options: RecipeOptions = {},
): RecipeResult {
  const checked = checkRecipe(recipe);
  const selected = selectedSamples(samples, options);
  const { series, dropped } = seriesOf(selected, checked);
  return resultOf(series, checked, dropped);
}

/** Returns the samples that the options select. */
export function selectedSamples(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: RecipeOptions,
): OrderedSamples {
  const { fromMs, toMs, periods } = checkOptions(options);
  return selectSamples(
    orderSamples(samples),
    fromMs ?? Number.NEGATIVE_INFINITY,
    toMs ?? Number.POSITIVE_INFINITY,
    periods,
  );
}

/** Converts samples to the values that are compared with the limits; null if the result is unknown. */
export function seriesOf(
  samples: OrderedSamples,
  recipe: Recipe,
): { series: readonly Series[] | null; dropped: RecipeDropped } {
  const gap = { minMs: recipe.gap.min_ms, steps: recipe.gap.steps };
  const gated = recipe.gate === null ? null : gatedSamples(samples, recipe.gate, gap);
  const signal = prepareBy(gated ?? samples, {
    maxValidMmPerS: recipe.max_valid,
    standstillMmPerS: recipe.standstill ?? 0,
    gap,
    withoutSpikes: recipe.spike !== undefined,
    ...(gated !== null && { recordedMs: gated.recordedMs }),
  });
  const dropped = {
    gate: gated?.dropped.samples ?? 0,
    ...(gated !== null && { gate_duration: durationSeconds(gated.dropped.durationMs) }),
    too_fast: signal.tooFast.samples,
  };
  if (recipe.derivative !== null && !isFastEnough(signal)) return { series: null, dropped };
  const { resample_ms } = recipe;
  return {
    series: resample_ms === undefined ? asRecorded(signal) : atEqualSteps(signal, recipe, resample_ms),
    dropped,
  };
}

function asRecorded(signal: PreparedSignal): readonly Series[] {
  return shared(signal, "series", () => {
    const { segments, timestampMs, speedMmPerS } = signal;
    return segments.map(({ first, last }) => {
      const values = speedMmPerS.subarray(first, last + 1);
      const times = timestampMs.subarray(first, last + 1);
      return { timestampMs: times, startMs: times[0] ?? 0, everyMs: 0, speedMmPerS: values, values };
    });
  });
}

function atEqualSteps(signal: PreparedSignal, recipe: Recipe, everyMs: number): readonly Series[] {
  const { smooth, derivative } = recipe;
  requireBoundedLength(signal, everyMs);
  const segments = resampledSegments(signal, derivative === null ? "segments" : "fast stretches", everyMs);
  return shared(segments, `series ${JSON.stringify([everyMs, smooth, derivative])}`, () => {
    const smoothed = smoothedBy(smooth, segments, everyMs);
    const values = derivative === null ? smoothed : derivatives(smoothed, everyMs);
    return segments.map(({ startMs, speedMmPerS }, i) => ({
      timestampMs: null,
      startMs,
      everyMs,
      speedMmPerS,
      values: values[i] ?? [],
    }));
  });
}

/** Throws `BAD_ARGUMENT` for too many values. They are all in memory, which a slow recording of several months would exceed. */
function requireBoundedLength(signal: PreparedSignal, everyMs: number): void {
  const durationMs = durationOf(signal);
  if (durationMs / everyMs <= MOST_VALUES) return;
  const hours = Math.floor((MOST_VALUES * everyMs) / HOUR_MS);
  throw new AsiError(
    "BAD_ARGUMENT",
    `The samples cover ${Math.ceil(durationMs / HOUR_MS)} hours; a recipe with a value every ${everyMs} ms is computed for at most ${hours}. Select a part with from and to.`,
  );
}

/** Finds the runs, joins them, drops short and low ones, and computes the sums. */
export function resultOf(
  series: readonly Series[] | null,
  recipe: Recipe,
  dropped: RecipeDropped,
): RecipeResult {
  const common = { hash: recipeHash(recipe), dropped, definition: { version: RECIPES_VERSION, recipe } };
  if (series === null) return { ...common, count: null, distance: null, duration: null, runs: [] };
  const runs = joinedRuns(series, recipe).filter(
    (run) =>
      durationMs(run) >= recipe.min_ms &&
      (recipe.peak_min === undefined || peakOf(run, recipe) >= recipe.peak_min),
  );
  const distances = runs.map((run) => doubleDistance(run, recipe));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    ...common,
    count: runs.length,
    distance: metresOfDouble(sum(distances)),
    duration: durationSeconds(sum(runs.map(durationMs))),
    runs: runs.map((run, i) => ({
      start_time: timeAt(run.series, run.first),
      duration: durationSeconds(durationMs(run)),
      max_value: (recipe.sign ?? 1) * fromThousandths(peakOf(run, recipe)),
      distance: metresOfDouble(distances[i] ?? 0),
    })),
  };
}

function durationMs({ series, first, last }: Run): number {
  return timeAt(series, last) - timeAt(series, first);
}

function peakOf({ series, first, last }: Run, { sign = 1 }: Recipe): number {
  let peak = 0;
  for (let k = first; k <= last; k++) peak = Math.max(peak, sign * (series.values[k] ?? 0));
  return peak;
}

/** Returns the distance of a run in half micrometres, by the trapezoidal rule. */
function doubleDistance({ series, first, last }: Run, { on, standstill = 0 }: Recipe): number {
  const { timestampMs, everyMs, speedMmPerS } = series;
  const least = on === "interval_mean" ? 2 * standstill : 0;
  let distance = 0;
  for (let k = first; k < last; k++) {
    const sum = (speedMmPerS[k] ?? 0) + (speedMmPerS[k + 1] ?? 0);
    if (sum < least) continue;
    distance += sum * (timestampMs === null ? everyMs : stepMs(timestampMs, k));
  }
  return distance;
}

/** Converts half micrometres to metres. Exact sums are rounded exactly. */
function metresOfDouble(halfUm: number): number {
  return Number.isSafeInteger(halfUm)
    ? divideRoundingHalfUp(halfUm, 2_000_000, 3)
    : roundHalfUp(halfUm / 2e6, 3);
}
