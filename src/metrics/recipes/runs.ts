import { shared } from "../shared.js";
import type { Recipe } from "./recipe.js";

/** The values of one segment that are compared with the limits. */
export interface Series {
  /** Times, ms since 1970 UTC; null for equal steps. */
  readonly timestampMs: Float64Array | null;
  /** The first time, and the length of equal steps, in ms. */
  readonly startMs: number;
  readonly everyMs: number;
  /** Speed before smoothing, mm/s, from which distances are computed. */
  readonly speedMmPerS: ArrayLike<number>;
  /** Speed in mm/s, or acceleration in mm/s2. */
  readonly values: ArrayLike<number>;
}

/** Samples `first` to `last` of a series, both inclusive. */
export interface Run {
  readonly series: Series;
  readonly first: number;
  readonly last: number;
}

/** Returns the time of a value, ms since 1970 UTC. */
export function timeAt({ timestampMs, startMs, everyMs }: Series, k: number): number {
  return timestampMs === null ? startMs + k * everyMs : (timestampMs[k] ?? 0);
}

/** Returns the joined runs of all series. Recipes that differ only in the minimum duration or the minimum peak share them. */
export function joinedRuns(series: readonly Series[], recipe: Recipe): readonly Run[] {
  const { on, standstill, sign, enter, exit, confirm_samples, artefact, merge_ms } = recipe;
  const rules = [on, standstill, sign, enter, exit, confirm_samples, artefact, merge_ms];
  return shared(series, `runs ${rules.join()}`, () =>
    series.flatMap((one) => joined(runsOf(one, recipe), merge_ms)),
  );
}

function joined(runs: readonly Run[], mergeMs: number): Run[] {
  const merged: Run[] = [];
  for (const run of runs) {
    const { series, first } = run;
    const previous = merged.at(-1);
    if (previous !== undefined && timeAt(series, first) - timeAt(series, previous.last) < mergeMs) {
      merged[merged.length - 1] = { ...previous, last: run.last };
    } else {
      merged.push(run);
    }
  }
  return merged;
}

function runsOf(series: Series, recipe: Recipe): Run[] {
  // there is a function for each kind of value, because one for both would be slower
  return recipe.on === "interval_mean" ? runsOfMeans(series, recipe) : runsOfValues(series, recipe);
}

function runsOfValues(series: Series, recipe: Recipe): Run[] {
  const { values } = series;
  const { enter, exit, sign = 1, confirm_samples: needed = 1, artefact = Number.POSITIVE_INFINITY } = recipe;
  const runs: Run[] = [];
  let first = -1;
  let confirmed = 0;
  for (let k = 0; k < values.length; k++) {
    const value = sign * (values[k] ?? 0);
    if (confirmed >= needed) {
      if (value >= exit && value <= artefact) continue;
      runs.push({ series, first, last: k - 1 });
      confirmed = 0;
    } else if (value >= enter && value <= artefact) {
      if (confirmed === 0) first = k;
      confirmed++;
    } else {
      confirmed = 0;
    }
  }
  if (confirmed >= needed) runs.push({ series, first, last: values.length - 1 });
  return runs;
}

/** Compares the mean of every two neighbouring values with the limits. */
function runsOfMeans(series: Series, recipe: Recipe): Run[] {
  const { values } = series;
  const { sign = 1, confirm_samples: needed = 1, artefact = Number.POSITIVE_INFINITY } = recipe;
  // sums are compared, because halving each of them would be slower
  const doubleEnter = 2 * recipe.enter;
  const doubleExit = 2 * recipe.exit;
  const doubleArtefact = 2 * artefact;
  const doubleStandstill = 2 * (recipe.standstill ?? 0);
  const runs: Run[] = [];
  let first = -1;
  let confirmed = 0;
  const count = values.length - 1;
  for (let k = 0; k < count; k++) {
    const sum = sign * ((values[k] ?? 0) + (values[k + 1] ?? 0));
    const counted = sum < doubleStandstill ? 0 : sum;
    if (confirmed >= needed) {
      if (counted >= doubleExit && counted <= doubleArtefact) continue;
      runs.push({ series, first, last: k });
      confirmed = 0;
    } else if (counted >= doubleEnter && counted <= doubleArtefact) {
      if (confirmed === 0) first = k;
      confirmed++;
    } else {
      confirmed = 0;
    }
  }
  if (confirmed >= needed) runs.push({ series, first, last: count });
  return runs;
}
