import { isValidHeartRate } from "../metrics/heart-rate.js";
import type { Metrics } from "../metrics/index.js";
import { orderSamples } from "../metrics/samples.js";
import type { RecordingInfo, SampleBatch } from "../types.js";

/** What a picture shows. */
export interface Session {
  /** Name of the recording. */
  name: string;
  info: RecordingInfo;
  samples: SampleBatch;
  metrics: Metrics;
  /** Offset of the clock of the labels from UTC. */
  offsetMs: number;
}

/** A value over time, for a plot. */
export interface Series {
  timesMs: Float64Array;
  /** NaN where there is none. */
  valueAt(sample: number): number;
  /** Samples further apart than this are not joined. */
  gapMs: number;
}

const KM_PER_H = 3.6;

/** As in the figures: more than 1 s, and more than 5 median intervals. */
const SHORTEST_GAP_MS = 1000;
const GAP_IN_STEPS = 5;

/** Heart rates come once a second or less often. */
const HEART_RATE_GAP_MS = 15_000;

/** Speeds in km/h; those above the highest valid speed are left out, as in the figures. */
export function speedSeries({ samples, metrics }: Session): Series {
  const { timestampMs, speedMmPerS } = orderSamples(samples);
  const highest = metrics.definition.parameters.max_valid_speed * 1000;
  return {
    timesMs: timestampMs,
    gapMs: gapOf(timestampMs),
    valueAt(sample) {
      const speed = speedMmPerS[sample] ?? -1;
      return speed < 0 || speed > highest ? Number.NaN : (speed / 1000) * KM_PER_H;
    },
  };
}

/** Heart rates in bpm; those that are not plausible are left out, as in the figures. */
export function heartRateSeries({ samples }: Session): Series {
  const { timestampMs, hr } = orderSamples(samples);
  return {
    timesMs: timestampMs,
    gapMs: HEART_RATE_GAP_MS,
    valueAt(sample) {
      const bpm = hr[sample] ?? 0;
      return isValidHeartRate(bpm) ? bpm : Number.NaN;
    },
  };
}

/** Times further apart than this are a gap in the recording. */
export function gapOf(timesMs: Float64Array): number {
  const steps = timesMs.slice(1).map((ms, i) => ms - (timesMs[i] ?? 0));
  steps.sort();
  return Math.max(SHORTEST_GAP_MS, GAP_IN_STEPS * (steps[steps.length >> 1] ?? 0));
}
