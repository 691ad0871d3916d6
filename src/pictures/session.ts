import { isValidHeartRate } from "../metrics/heart-rate.js";
import type { Metrics } from "../metrics/index.js";
import { orderSamples } from "../metrics/samples.js";
import { segmentGapMs } from "../metrics/segments.js";
import type { RecordingInfo, SampleBatch } from "../types.js";
import { KM_PER_H } from "./figure-text.js";

/** Content of a picture. */
export interface Session {
  /** Name of the recording. */
  name: string;
  info: RecordingInfo;
  samples: SampleBatch;
  metrics: Metrics;
  /** What cannot be read of the recording, and the last row before the first such place; null for nothing. */
  damage: { text: string; afterMs: number | null } | null;
  /** Offset of the clock of the labels from UTC. */
  offsetMs: number;
  /** Named times, such as halves, ms since 1970 UTC. */
  periods: readonly { name: string; startMs: number; endMs: number }[];
}

/** A value over time, for a plot. */
export interface Series {
  timesMs: Float64Array;
  /** NaN where there is none. */
  valueAt(sample: number): number;
  /** Samples further apart than this are not joined. */
  gapMs: number;
}

/** Heart rates come once a second or less often. */
const HEART_RATE_GAP_MS = 15_000;

/** Speeds in km/h; those above the highest valid speed are left out, as in the figures. */
export function speedSeries({ samples, metrics }: Session): Series {
  const { timestampMs, speedMmPerS } = orderSamples(samples);
  const highest = metrics.definition.parameters.max_valid_speed * 1000;
  return {
    timesMs: timestampMs,
    gapMs: segmentGapMs(timestampMs),
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
