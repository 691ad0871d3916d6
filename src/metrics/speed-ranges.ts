import type { DistancePerSpeedRange, TimePerSpeedRange } from "./metrics.js";
import { inThousandths } from "./parameters.js";
import type { PreparedSignal } from "./prepare.js";
import type { MetricParameters } from "./presets.js";
import { durationSeconds, metres, shareRoundingHalfUp } from "./rounding.js";
import { stepMs } from "./segments.js";

const RATIO_DECIMALS = 4;

/** The time and distance of a time frame in each speed class. */
export interface SpeedRangeFigures {
  readonly time: TimePerSpeedRange[];
  readonly distance: DistancePerSpeedRange[];
}

/**
 * Divides time and distance among the speed classes. An interval belongs to the class that contains its mean speed m:
 * `low <= m < high`. The last class ends at `max_valid_speed`, which no sample exceeds. Every class is listed.
 */
export function divideAmongSpeedRanges(
  signal: PreparedSignal,
  parameters: MetricParameters,
): SpeedRangeFigures {
  const lows = parameters.speed_ranges;
  const doubleLows = Int32Array.from(lows, (low) => 2 * inThousandths(low));
  const durationMs = new Float64Array(lows.length);
  const distanceHalfUm = new Float64Array(lows.length);
  let totalMs = 0;
  let totalHalfUm = 0;
  for (const { first, last } of signal.segments) {
    for (let i = first; i < last; i++) {
      const speedSum = signal.intervalSpeedSum[i] ?? 0;
      const dt = stepMs(signal.timestampMs, i);
      let range = doubleLows.length - 1;
      while (range > 0 && speedSum < (doubleLows[range] ?? 0)) range--;
      durationMs[range] = (durationMs[range] ?? 0) + dt;
      distanceHalfUm[range] = (distanceHalfUm[range] ?? 0) + speedSum * dt;
      totalMs += dt;
      totalHalfUm += speedSum * dt;
    }
  }
  const limitsOf = (range: number) => ({
    threshold_low: lows[range] ?? 0,
    threshold_high: lows[range + 1] ?? parameters.max_valid_speed,
  });
  return {
    time: Array.from(durationMs, (ms, range) => ({
      duration: durationSeconds(ms),
      ratio: shareRoundingHalfUp(ms, totalMs, RATIO_DECIMALS),
      ...limitsOf(range),
    })),
    distance: Array.from(distanceHalfUm, (halfUm, range) => ({
      distance: metres(halfUm),
      ratio: shareRoundingHalfUp(halfUm, totalHalfUm, RATIO_DECIMALS),
      ...limitsOf(range),
    })),
  };
}
