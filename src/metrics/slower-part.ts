import type { MetricsOptions } from "./options.js";
import { stepMs, totalsOf } from "./prepare.js";
import { durationSeconds } from "./rounding.js";
import type { MetricSamples } from "./samples.js";
import { GAP } from "./segments.js";
import { selectedSignal } from "./selected-signal.js";

/** Time that is in no figure because a part of the recording has fewer rows a second than the rest. */
export interface SlowerPart {
  /** s of steps that are gaps by the rate of the whole recording, and none by that of the rows around them. */
  readonly duration: number;
  /** Of these steps and the recorded time together, 0 to 1. */
  readonly share: number;
}

/** Rows on each side that say how fast rows follow each other at a place *(choice)*. */
const NEIGHBOURS = 5;

/** A larger share is reported *(choice)*. */
export const MUCH_OF_IT = 0.1;

/**
 * How much time the rule for gaps (docs/metrics.md, step 3) leaves out where a recording has two rates: T, the median step, is one
 * for the whole recording.
 *
 * @throws AsiError as `computeMetrics` does
 */
export function slowerPart(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions = {},
): SlowerPart {
  const { signal } = selectedSignal(samples, options);
  let leftOutMs = 0;
  for (const { last } of signal.segments.slice(0, -1)) {
    const step = stepMs(signal.timestampMs, last);
    if (step <= GAP.steps * medianStepAround(signal.timestampMs, last)) leftOutMs += step;
  }
  const { durationMs } = totalsOf(signal);
  return {
    duration: durationSeconds(leftOutMs),
    share: leftOutMs === 0 ? 0 : leftOutMs / (leftOutMs + durationMs),
  };
}

function medianStepAround(timestampMs: Float64Array, i: number): number {
  const from = Math.max(0, i - NEIGHBOURS);
  const to = Math.min(timestampMs.length - 1, i + NEIGHBOURS + 1);
  const steps = Array.from({ length: to - from }, (_, k) => stepMs(timestampMs, from + k));
  return steps.sort((a, b) => a - b)[Math.floor((steps.length - 1) / 2)] ?? 0;
}
