import { type MetricsOptions, type PeakDemands, peakDemands } from "../../metrics/index.js";
import type { SampleBatch } from "../../types.js";

/** Options that ask for figures beyond the ordinary ones. */
export interface FigureFlags {
  peaks?: boolean;
}

/** The same after their check, as they can be sent to a worker thread. */
export interface WantedFigures {
  peaks: boolean;
}

/** Figures of one recording, by their keys in the output of --json; only those that were asked for. */
export interface Figures {
  peak_demands?: PeakDemands;
}

/** null: none is asked for. */
export function wantedFigures({ peaks = false }: FigureFlags): WantedFigures | null {
  return peaks ? { peaks } : null;
}

/** Throws what the figures throw. */
export function figuresOf(samples: SampleBatch, options: MetricsOptions, wanted: WantedFigures): Figures {
  return {
    ...(wanted.peaks && { peak_demands: peakDemands(samples, options) }),
  };
}
