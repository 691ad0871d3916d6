import { metabolicEstimate, peakDemands, standardRuns } from "../metrics/index.js";
import type { SquadOptions } from "./squad-table.js";

/** The optional figures of a table, in the order of their columns. */
export const OPTIONAL_FIGURES = ["peaks", "metabolic", "standardRuns"] as const;
export type OptionalFigure = (typeof OPTIONAL_FIGURES)[number];

/** Returns the functions of these figures, as options for `squadRows` and `memberFigures`. */
export const optionalFunctions = (
  figures: readonly OptionalFigure[],
): Pick<SquadOptions, OptionalFigure> => ({
  ...(figures.includes("peaks") && { peaks: peakDemands }),
  ...(figures.includes("metabolic") && { metabolic: metabolicEstimate }),
  ...(figures.includes("standardRuns") && { standardRuns }),
});
