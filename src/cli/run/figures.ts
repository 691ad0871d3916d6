import {
  type AccelerationSpeedProfile,
  type Beats,
  computeRecipe,
  type HeartRateVariability,
  heartRateVariability,
  type MetabolicEstimate,
  type MetricSamples,
  type MetricsOptions,
  metabolicEstimate,
  type NamedRecipe,
  type PeakDemands,
  PROFILE_VERSION,
  type PresetName,
  peakDemands,
  profileSpeeds,
  type RecipeResult,
  recipeSensitivity,
  type SensitivityRow,
  type StandardRuns,
  sessionProfile,
  standardRuns,
} from "../../metrics/index.js";
import { UsageError } from "../terminal/usage-error.js";
import { recipesOf } from "./recipe-input.js";

/** Options for optional figures. */
export interface FigureFlags {
  sport?: PresetName;
  peaks?: boolean;
  recipe?: string[];
  sensitivity?: boolean;
  profile?: boolean;
  metabolicPower?: boolean;
  standardRuns?: boolean;
  hrv?: boolean;
  atRest?: boolean;
}

/** The options after validation, in a form that can be sent to worker threads. */
export interface WantedFigures {
  peaks: boolean;
  recipes: readonly NamedRecipe[];
  sensitivity: boolean;
  profile: boolean;
  metabolicPower: boolean;
  standardRuns: boolean;
  hrv: boolean;
  atRest: boolean;
}

/** The result of a recipe with its name, and its sensitivity table if requested. */
export interface NamedResult extends RecipeResult {
  name: string;
  title: string;
  /** The source of the definition; null for a user's recipe. */
  source: string | null;
  sensitivity?: readonly SensitivityRow[];
}

/** Optional figures of a recording or of one of its periods, by their keys in the output of --json. Contains only requested figures. */
export interface Figures {
  peak_demands?: PeakDemands;
  recipes?: readonly NamedResult[];
  hrv?: HeartRateVariability;
  metabolic?: MetabolicEstimate;
  /** m/s, sustained for 0.5 s; null below 5 Hz. */
  session_max_speed?: number | null;
  /** Profile of these rows only, relative to their own maximum speed; null if there is none. */
  acceleration_speed?: AccelerationSpeedProfile | null;
  /** Experimental. */
  standard_runs?: StandardRuns;
}

/** Validates the options. Returns null if no figure is requested. Throws the errors of `recipesOf`. */
export function wantedFigures({
  sport = "soccer",
  peaks = false,
  recipe: names = [],
  sensitivity = false,
  profile = false,
  metabolicPower = false,
  standardRuns: wantsRuns = false,
  hrv = false,
  atRest = false,
}: FigureFlags): WantedFigures | null {
  // the sensitivity table requires at least one recipe
  const recipes = (sensitivity && names.length === 0 ? [`${sport}/sprint`] : names).flatMap(recipesOf);
  if (atRest && !hrv) throw new UsageError("--at-rest requires --hrv.");
  const isAsked = peaks || profile || metabolicPower || wantsRuns || hrv || recipes.length > 0;
  return isAsked
    ? { peaks, recipes, sensitivity, profile, metabolicPower, standardRuns: wantsRuns, hrv, atRest }
    : null;
}

/** Computes the requested figures. Throws their errors. */
export function optionalFigures(
  samples: MetricSamples,
  beats: readonly Beats[],
  options: MetricsOptions,
  {
    peaks,
    recipes,
    sensitivity,
    profile,
    metabolicPower,
    standardRuns: wantsRuns,
    hrv,
    atRest,
  }: WantedFigures,
): Figures {
  const { from, to, periods } = options;
  const limits = { from, to, periods };
  return {
    ...(peaks && { peak_demands: peakDemands(samples, { ...options, metabolicPower }) }),
    ...(recipes.length > 0 && {
      recipes: recipes.map(({ name, title, source, recipe }) => ({
        name,
        title,
        source,
        ...computeRecipe(samples, recipe, limits),
        ...(sensitivity && { sensitivity: recipeSensitivity(samples, recipe, limits).rows }),
      })),
    }),
    ...(profile && profileOf(samples, options)),
    ...(metabolicPower && { metabolic: metabolicEstimate(samples, options) }),
    ...(wantsRuns && { standard_runs: standardRuns(samples, options) }),
    ...(hrv && { hrv: heartRateVariability(beats, { atRest }) }),
  };
}

function profileOf(
  samples: MetricSamples,
  options: MetricsOptions,
): Required<Pick<Figures, "session_max_speed" | "acceleration_speed">> {
  const speeds = profileSpeeds(samples, options);
  const { max_speed, ...found } = sessionProfile(speeds);
  return {
    session_max_speed: speeds.maxSpeed,
    acceleration_speed:
      max_speed === null ? null : { ...found, definition: { version: PROFILE_VERSION, max_speed } },
  };
}
