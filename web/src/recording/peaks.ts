import type { SampleBatch } from "asi-convert";
import { type PeakWindow, peakCurve, peakDemands } from "asi-convert/metrics";
import type { FigureSettings, PeakDistances } from "./recording.js";

/**
 * Returns the peak distances of a recording, as the list in `asi stats --peaks` and as values for a curve.
 *
 * @throws AsiError `BAD_ARGUMENT` for a recording of more than 72 hours
 */
export function peaksOf(rows: SampleBatch, { preset, params }: FigureSettings): PeakDistances {
  const { peaks, power_law, critical_speed, critical_speed_3 } = peakDemands(rows, { preset, params });
  const listed = peaks.distance;
  const windows = new Map<number, PeakWindow>();
  for (const peak of [...peakCurve(rows, "distance", { preset, params }), ...listed])
    windows.set(peak.window, peak);
  const curve = [...windows.values()].sort((a, b) => a.window - b.window);
  return { listed, curve, fits: { power_law, critical_speed, critical_speed_3 } };
}
