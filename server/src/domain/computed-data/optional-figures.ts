import {
  computeRecipe,
  type GatedProfile,
  METABOLIC_VERSION,
  type MetabolicEstimate,
  type MetricParameters,
  type MetricSamples,
  type MetricsOptions,
  metabolicEstimate,
  PEAK_WINDOWS_S,
  PEAKS_VERSION,
  type PeakDemands,
  PROFILE_DAYS,
  PROFILE_GATE,
  PROFILE_VERSION,
  type ProfilePoint,
  type ProfileSpeeds,
  peakDemands,
  profileSpeeds,
  RECIPES_VERSION,
  type Recipe,
  type RecipeResult,
  type RecipeRun,
  STANDARD_RUNS_VERSION,
  type StandardRuns,
  sessionProfile,
  standardRuns,
} from "asi-convert/metrics";
import type { RecipeVersion } from "../change/compute-pool.js";

/**
 * Maximum length of a time frame with these figures, in hours; they are null for longer ones. They need values in memory for
 * every 0.1 s from the first to the last sample. Sessions are shorter than this.
 */
export const MAX_HOURS = 12;
const MAX_LENGTH_MS = MAX_HOURS * 3_600_000;

/**
 * Maximum number of equal steps that a recipe evaluates: steps of 10 ms take ten times as long as those of the other figures.
 */
export const MAX_VALUES = 600_000;

/** Maximum number of runs of a recipe that are listed; if there are more, only their number and sums are stored. */
export const MAX_RUNS = 1_000;

/** The result of a recipe that the time frame names. */
export interface RecipeFigures {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly count: number | null;
  /** m */
  readonly distance: number | null;
  /** s */
  readonly duration: number | null;
  /** Null when there are more than `MAX_RUNS`. */
  readonly runs: readonly RecipeRun[] | null;
  /** Null if the samples span too much time. */
  readonly dropped: RecipeResult["dropped"] | null;
}

/** The fixed rules of optional figures. */
export const OPTIONAL_DEFINITIONS = {
  acceleration_speed: { version: PROFILE_VERSION, days: PROFILE_DAYS, gate: PROFILE_GATE },
  metabolic: { version: METABOLIC_VERSION },
  standard_runs: { version: STANDARD_RUNS_VERSION },
} as const;

/** The rules and parameters of these figures. */
export interface OptionalDefinition extends Partial<typeof OPTIONAL_DEFINITIONS> {
  readonly peak_demands: {
    readonly version: number;
    readonly signal: "doppler_speed";
    /** s */
    readonly windows: readonly number[];
    /** m/s */
    readonly high_speed: number;
  };
  readonly recipes?: readonly {
    readonly name: string;
    readonly version: number;
    readonly hash: string;
    /** Version of the rules that evaluate recipes. */
    readonly rules: number;
    readonly recipe: Recipe;
  }[];
}

/**
 * Figures in addition to the metrics. The library computes all of them. Results of an older release that are kept after retention
 * lack newer figures.
 */
export interface OptionalFigures {
  /** With metabolic power, which responses contain only with `with_metabolic_power`. */
  readonly peak_demands: Omit<PeakDemands, "definition"> | null;
  /** m/s */
  readonly session_max_speed: number | null;
  /** The profile of these samples alone. */
  readonly acceleration_speed?: GatedProfile | null;
  readonly metabolic?: Omit<MetabolicEstimate, "definition"> | null;
  /** Experimental. */
  readonly standard_runs?: Omit<StandardRuns, "definition"> | null;
  /** Absent if the time frame names no recipes. */
  readonly recipes?: readonly RecipeFigures[];
  readonly definition: OptionalDefinition;
}

/** The figures of one computation. */
interface ComputedFigures extends OptionalFigures {
  /** The points of the profile. A profile of several sessions pools the points of all of them. */
  readonly profile_points: readonly ProfilePoint[];
}

/** @param lengthMs time from the first to the last valid sample */
export function optionalFigures(
  samples: MetricSamples,
  options: MetricsOptions,
  recipes: readonly RecipeVersion[],
  { parameters, lengthMs }: { parameters: MetricParameters; lengthMs: number },
): ComputedFigures {
  const isShort = lengthMs <= MAX_LENGTH_MS;
  const limits = { from: options.from, to: options.to, periods: options.periods };
  const speeds: ProfileSpeeds | null = isShort ? profileSpeeds(samples, options) : null;
  return {
    peak_demands: isShort
      ? withoutDefinition(peakDemands(samples, { ...options, metabolicPower: true }))
      : null,
    session_max_speed: speeds?.maxSpeed ?? null,
    profile_points: speeds?.points ?? [],
    acceleration_speed: speeds && sessionProfile(speeds),
    metabolic: isShort ? withoutDefinition(metabolicEstimate(samples, options)) : null,
    standard_runs: isShort ? withoutDefinition(standardRuns(samples, options)) : null,
    ...(recipes.length > 0 && {
      recipes: recipes.map(({ name, version, hash, recipe }) => ({
        name,
        version,
        hash,
        ...(isShort && valuesOf(recipe, lengthMs) <= MAX_VALUES
          ? countedBy(recipe, samples, limits)
          : TOO_LONG),
      })),
    }),
    definition: {
      peak_demands: {
        version: PEAKS_VERSION,
        signal: "doppler_speed",
        windows: PEAK_WINDOWS_S,
        high_speed: parameters.hid_thresholds[1],
      },
      ...(recipes.length > 0 && {
        recipes: recipes.map(({ name, version, hash, recipe }) => ({
          name,
          version,
          hash,
          rules: RECIPES_VERSION,
          recipe,
        })),
      }),
    },
  };
}

function withoutDefinition<T extends { readonly definition: object }>({
  definition: _,
  ...figures
}: T): Omit<T, "definition"> {
  return figures;
}

/** Removes the peaks of metabolic power, which a request selects separately. */
export function withoutMetabolicPower(
  demands: OptionalFigures["peak_demands"],
): OptionalFigures["peak_demands"] {
  if (demands === null) return null;
  const { caution: _, ...others } = demands;
  const { metabolic_power: __, ...peaks } = demands.peaks;
  return { ...others, peaks };
}

/** Returns the maximum number of values of a recipe with equal steps; 0 without resampling. */
const valuesOf = ({ resample_ms }: Recipe, lengthMs: number): number =>
  resample_ms === undefined ? 0 : lengthMs / resample_ms;

const TOO_LONG = { count: null, distance: null, duration: null, runs: null, dropped: null };

function countedBy(
  recipe: Recipe,
  samples: MetricSamples,
  limits: Pick<MetricsOptions, "from" | "to" | "periods">,
): Omit<RecipeFigures, "name" | "version" | "hash"> {
  // Use a copy without cached results, because a recipe can have ten times as many steps as the other figures.
  const { count, distance, duration, runs, dropped } = computeRecipe({ ...samples }, recipe, limits);
  return { count, distance, duration, runs: runs.length > MAX_RUNS ? null : runs, dropped };
}
