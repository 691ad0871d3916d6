import { metabolicEstimate, peakDemands, standardRuns } from "../../metrics/index.js";
import type { FurtherFigure } from "../../squad/further-columns.js";
import type { SquadOptions } from "../../squad/index.js";

/** The functions of figures on request, as options of `squadRows`. */
export const furtherFunctions = (
  figures: readonly FurtherFigure[],
): Pick<SquadOptions, "peaks" | "metabolic" | "standardRuns"> => ({
  ...(figures.includes("peaks") && { peaks: peakDemands }),
  ...(figures.includes("metabolic") && { metabolic: metabolicEstimate }),
  ...(figures.includes("standardRuns") && { standardRuns }),
});
