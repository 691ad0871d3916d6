import type { Intensity } from "./computed-data.js";
import { inThousandths } from "./parameters.js";
import { type PreparedSignal, stepMs } from "./prepare.js";
import { metres } from "./rounding.js";
import type { AnalysisFrame } from "./samples.js";

/**
 * Distance in each slice of the frame, from its start to its end; the last slice may be shorter. An interval that crosses
 * the boundary of a slice is divided in proportion to time, so the parts are still integers of half micrometres.
 *
 * @param span duration of a slice in s
 * @returns no distances at all when the signal has no sample
 */
export function distancePerSlice(signal: PreparedSignal, frame: AnalysisFrame, span: number): Intensity {
  const spanMs = inThousandths(span);
  const sliceCount = signal.timestampMs.length === 0 ? 0 : Math.ceil((frame.stopMs - frame.startMs) / spanMs);
  const distanceHalfUm = new Float64Array(sliceCount);
  for (const { first, last } of signal.segments) {
    for (let i = first; i < last; i++) {
      const speedSum = signal.intervalSpeedSum[i] ?? 0;
      if (speedSum === 0) continue;
      let fromMs = (signal.timestampMs[i] ?? 0) - frame.startMs;
      const toMs = fromMs + stepMs(signal.timestampMs, i);
      let slice = Math.floor(fromMs / spanMs);
      while (fromMs < toMs) {
        const partEndMs = Math.min(toMs, (slice + 1) * spanMs);
        distanceHalfUm[slice] = (distanceHalfUm[slice] ?? 0) + speedSum * (partEndMs - fromMs);
        fromMs = partEndMs;
        slice++;
      }
    }
  }
  return {
    distance: Array.from(distanceHalfUm, metres),
    start_time: frame.startMs,
    span,
    end_time: frame.stopMs,
  };
}
