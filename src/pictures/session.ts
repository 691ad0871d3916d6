import { isValidHeartRate } from "../metrics/heart-rate.js";
import type { Metrics } from "../metrics/index.js";
import { inThousandths } from "../metrics/parameters.js";
import { validSpeeds } from "../metrics/prepare.js";
import { KM_PER_H } from "../metrics/rounding.js";
import { orderSamples } from "../metrics/samples.js";
import { gapsAfter } from "../metrics/segments.js";
import type { RecordingInfo, SampleBatch } from "../types.js";

/** The content of a picture. */
export interface Session {
  /** Name of the recording. */
  name: string;
  info: RecordingInfo;
  /** The samples that are drawn. */
  samples: SampleBatch;
  /** Start of the time axis, ms since 1970 UTC. */
  fromMs: number;
  toMs: number;
  /** Describes the part that is not drawn; null if everything is drawn. */
  notDrawn: string | null;
  metrics: Metrics;
  /** Describes the unreadable parts of the recording, with the last row before the first of them; null if there are none. */
  damage: { text: string; afterMs: number | null } | null;
  /** UTC offset of the labels. */
  offsetMs: number;
  /** Named times, such as halves, ms since 1970 UTC. */
  periods: readonly { name: string; startMs: number; endMs: number }[];
}

/** Values over time that are plotted. */
export interface Series {
  /** In ascending order. */
  timesMs: Float64Array;
  valueAt(sample: number): number;
  /** Indexes of samples that are not connected to the next one. */
  gapsAfter: ReadonlySet<number>;
}

/** Heart rates arrive once a second or less often. */
const HEART_RATE_GAP = { minMs: 15_000, steps: 0 };

/** Returns the speeds in km/h, without those above the highest valid speed and with the gaps of the figures. */
export function speedSeries({ samples, metrics }: Session): Series {
  const { timestampMs, speedMmPerS, segments } = validSpeeds(orderSamples(samples), {
    maxValidMmPerS: inThousandths(metrics.definition.parameters.max_valid_speed),
  });
  return {
    timesMs: timestampMs,
    valueAt: (sample) => ((speedMmPerS[sample] ?? 0) / 1000) * KM_PER_H,
    gapsAfter: new Set(segments.map(({ last }) => last)),
  };
}

/** Returns the heart rates in bpm, without implausible ones, as in the figures. */
export function heartRateSeries({ samples }: Session): Series {
  const { timestampMs, hr } = orderSamples(samples);
  const isKept = (_: number, sample: number) => isValidHeartRate(hr[sample] ?? 0);
  const timesMs = timestampMs.filter(isKept);
  const kept = hr.filter(isKept);
  return {
    timesMs,
    valueAt: (sample) => kept[sample] ?? 0,
    gapsAfter: new Set(gapsAfter(timesMs, HEART_RATE_GAP)),
  };
}
