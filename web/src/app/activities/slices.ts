import type { Metrics } from "asi-convert/metrics";

/** A slice of a time frame and the distance covered in it. */
export interface Slice {
  startMs: number;
  seconds: number;
  metres: number;
  /** The height of the column: the pace of the slice as a share of the highest pace in a complete slice, at most 1. */
  height: number;
}

/**
 * Returns the slices of `intensity`. The last slice may be shorter. Its column is at most as high as the others, because a sprint does not
 * last a whole minute.
 */
export function slicesOf({ distance, span, start_time, end_time }: Metrics["intensity"]): Slice[] {
  if (start_time === null || end_time === null) return [];
  const slices = distance.map((metres, i) => {
    const startMs = start_time + i * span * 1000;
    const seconds = Math.min(span, (end_time - startMs) / 1000);
    return { startMs, seconds, metres, inWhole: (metres * span) / seconds };
  });
  const whole = slices.filter(({ seconds }) => seconds === span);
  const highest = Math.max(0, ...(whole.length > 0 ? whole : slices).map(({ inWhole }) => inWhole));
  return slices.map(({ inWhole, ...slice }) => ({
    ...slice,
    height: highest === 0 ? 0 : Math.min(1, inWhole / highest),
  }));
}
