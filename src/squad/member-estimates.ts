import { AsiError } from "../errors.js";
import type {
  MetabolicEstimate,
  MetricSamples,
  MetricsOptions,
  metabolicEstimate,
  StandardRun,
  standardRuns,
} from "../metrics/index.js";

/** The figures of a member that are off by default because they are estimates or experimental. */
export interface MemberEstimates {
  /** The result of `metabolicEstimate`; absent if it was not requested. */
  metabolic?: Pick<MetabolicEstimate, "energy" | "equivalent_distance" | "categories">;
  /** The result of `standardRuns`; absent if it was not requested or cannot be computed. */
  standardRuns?: readonly StandardRun[];
  /** The reason why standard runs cannot be computed: the message of `standardRuns`, with the name of the player. */
  withoutRuns?: string;
}

/** The functions that compute the estimates. Default: none, so that bundles without these figures do not contain the functions. */
export interface EstimateFunctions {
  metabolic?: typeof metabolicEstimate | undefined;
  standardRuns?: typeof standardRuns | undefined;
}

/** Estimates the energy, as `metabolicEstimate` does for the same samples and limits. */
export function memberEnergy(
  compute: EstimateFunctions["metabolic"],
  samples: MetricSamples,
  options: MetricsOptions,
): Pick<MemberEstimates, "metabolic"> {
  if (compute === undefined) return {};
  const { energy, equivalent_distance, categories } = compute(samples, options);
  return { metabolic: { energy, equivalent_distance, categories } };
}

/**
 * Finds the runs, as `standardRuns` does for the same samples and limits.
 *
 * @throws the AsiError of `standardRuns`, with the name of the player, unless `mayBeMissing`
 */
export function memberRuns(
  compute: EstimateFunctions["standardRuns"],
  {
    name,
    samples,
    options,
    mayBeMissing,
  }: { name: string; samples: MetricSamples; options: MetricsOptions; mayBeMissing: boolean },
): Pick<MemberEstimates, "standardRuns" | "withoutRuns"> {
  if (compute === undefined) return {};
  try {
    return { standardRuns: compute(samples, options).runs };
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    const reason = `${name}: ${error.message}`;
    if (!mayBeMissing) throw new AsiError(error.code, reason);
    return { withoutRuns: reason };
  }
}
