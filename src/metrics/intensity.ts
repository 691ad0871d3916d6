import type { Intensity } from "./metrics.js";
import { inThousandths } from "./parameters.js";
import type { PreparedSignal } from "./prepare.js";
import { metres } from "./rounding.js";
import { stepMs } from "./segments.js";

/**
 * Returns the distance in each slice of the time between two instants. The last slice may be shorter. An interval that crosses
 * the boundary of a slice is divided in proportion to time, so its parts are also integers in half micrometres.
 *
 * @param span duration of a slice in s
 * @returns no distances if the signal has no sample
 */
export function distancePerSlice(
  signal: PreparedSignal,
  fromMs: number | null,
  toMs: number | null,
  span: number,
): Intensity {
  const spanMs = inThousandths(span);
  const isEmpty = signal.timestampMs.length === 0 || fromMs === null || toMs === null;
  if (isEmpty) return { distance: [], start_time: fromMs, span, end_time: toMs };
  const sliceCount = Math.ceil((toMs - fromMs) / spanMs);
  const distanceHalfUm = new Float64Array(sliceCount);
  for (const { first, last } of signal.segments) {
    for (let i = first; i < last; i++) {
      const speedSum = signal.intervalSpeedSum[i] ?? 0;
      if (speedSum === 0) continue;
      let partStartMs = (signal.timestampMs[i] ?? 0) - fromMs;
      const endMs = partStartMs + stepMs(signal.timestampMs, i);
      let slice = Math.floor(partStartMs / spanMs);
      while (partStartMs < endMs) {
        const partEndMs = Math.min(endMs, (slice + 1) * spanMs);
        distanceHalfUm[slice] = (distanceHalfUm[slice] ?? 0) + speedSum * (partEndMs - partStartMs);
        partStartMs = partEndMs;
        slice++;
      }
    }
  }
  return {
    distance: Array.from(distanceHalfUm, metres),
    start_time: fromMs,
    span,
    end_time: toMs,
  };
}
