import { metabolicEstimate, peakDemands, standardRuns } from "asi-convert/metrics";
import type { SquadOptions } from "asi-convert/squad";
import type { FurtherFigure } from "asi-convert/squad-report";

/** The functions of figures on request, as options of `memberFigures`. */
export const furtherFunctions = (
  further: readonly FurtherFigure[],
): Pick<SquadOptions, "peaks" | "metabolic" | "standardRuns"> => ({
  ...(further.includes("peaks") && { peaks: peakDemands }),
  ...(further.includes("metabolic") && { metabolic: metabolicEstimate }),
  ...(further.includes("standardRuns") && { standardRuns }),
});
