import { AsiError } from "../errors.js";
import type { MetricSamples, MetricsOptions, PeakDemands, peakDemands } from "../metrics/index.js";

/** The peaks of a member. */
export interface MemberPeaks {
  /** The peaks from `peakDemands`; absent if they were not requested or cannot be computed. */
  peaks?: PeakDemands["peaks"];
  /** The reason why the peaks cannot be computed: the message of `peakDemands`, with the name of the player. */
  withoutPeaks?: string;
}

interface PeakInput {
  /** The name of the player, for error messages. */
  name: string;
  samples: MetricSamples;
  options: MetricsOptions;
  /** Whether samples without computable peaks are accepted. */
  mayBeMissing: boolean;
}

/**
 * Computes the peaks. Returns an empty object if there is no function.
 *
 * @param compute `peakDemands`, or undefined if no peaks are requested
 * @throws the AsiError of `peakDemands`, with the name of the player, unless `mayBeMissing`
 */
export function memberPeaks(
  compute: typeof peakDemands | undefined,
  { name, samples, options, mayBeMissing }: PeakInput,
): MemberPeaks {
  if (compute === undefined) return {};
  try {
    return { peaks: compute(samples, { ...options, fits: false }).peaks };
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    const reason = `${name}: ${error.message}`;
    if (!mayBeMissing) throw new AsiError(error.code, reason);
    return { withoutPeaks: reason };
  }
}
