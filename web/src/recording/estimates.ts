import type { SampleBatch } from "asi-convert";
import { metabolicEstimate, metabolicSummary, type StandardRuns, standardRuns } from "asi-convert/metrics";
import type { TimeWindow } from "../view/window.js";
import type { FigureSettings, MetabolicPower } from "./recording.js";

/** The energy of the rows of a window, as `asi stats --metabolic-power --from --to`, with its mean power. */
export function metabolicPowerOf(
  rows: SampleBatch,
  { startMs, stopMs }: TimeWindow,
  { preset }: FigureSettings,
): MetabolicPower {
  const from = Math.ceil(startMs);
  const estimate = metabolicEstimate(rows, { preset, from, to: Math.max(from, Math.floor(stopMs)) });
  return { ...estimate, mean_power: metabolicSummary(estimate).mean_power };
}

/**
 * The standard runs of a recording, as `asi stats --standard-runs`.
 *
 * @throws AsiError `BAD_ARGUMENT` for a recording of more than 72 hours
 */
export const standardRunsOf = (rows: SampleBatch, { preset }: FigureSettings): StandardRuns =>
  standardRuns(rows, { preset });
