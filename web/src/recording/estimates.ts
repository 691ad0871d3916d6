import type { SampleBatch } from "asi-convert";
import { metabolicEstimate, metabolicSummary, type StandardRuns, standardRuns } from "asi-convert/metrics";
import type { TimeWindow } from "../view/window.js";
import type { FigureSettings, MetabolicPower } from "./recording.js";

/** Returns the energy of the rows in a window and its mean power, as in `asi stats --metabolic-power --from --to`. */
export function metabolicPowerOf(
  rows: SampleBatch,
  { startMs, stopMs }: TimeWindow,
  { preset, params }: FigureSettings,
): MetabolicPower {
  const from = Math.ceil(startMs);
  const estimate = metabolicEstimate(rows, { preset, params, from, to: Math.max(from, Math.floor(stopMs)) });
  return { ...estimate, mean_power: metabolicSummary(estimate).mean_power };
}

/**
 * Returns the standard runs of a recording, as in `asi stats --standard-runs`.
 *
 * @throws AsiError `BAD_ARGUMENT` for a recording of more than 72 hours
 */
export const standardRunsOf = (rows: SampleBatch, { preset, params }: FigureSettings): StandardRuns =>
  standardRuns(rows, { preset, params });
