import type { SampleBatch } from "asi-convert";
import { computeMetrics, heartRatePeriods, type Period, prepareSamples } from "asi-convert/metrics";
import type { FigureSettings, HeartRange, HeartRangeFigures, RangeTotals } from "./recording.js";

/** The figures of each period are computed one by one, so their number is limited. */
const LONGEST_LIST = 200;

/**
 * Returns distance and speed of a recording, and of each period, while the heart rate is in a range. `asi stats --heart-range` computes the
 * same values.
 *
 * @throws AsiError `BAD_OPTION` for an invalid range; `BAD_ARGUMENT` for a recording of more than 366 days
 */
export function heartRangeOf(
  rows: SampleBatch,
  [low, high]: HeartRange,
  { preset, params }: FigureSettings,
): HeartRangeFigures {
  const samples = prepareSamples(rows);
  const totalsOf = (periods: readonly Period[]): RangeTotals => {
    const { total_distance: distanceM, average_speed: mPerS } = computeMetrics(samples, {
      preset,
      params,
      periods,
    });
    const durationMs = periods.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    return { durationMs, distanceM, mPerS };
  };
  const periods = heartRatePeriods(samples, low, high);
  return {
    count: periods.length,
    total: totalsOf(periods),
    listed: periods.slice(0, LONGEST_LIST).map((period) => ({ ...period, ...totalsOf([period]) })),
  };
}
