import { isValidHeartRate, LONGEST_HOLD_MS } from "../heart-rate.js";
import type { ValidSpeeds } from "../prepare.js";
import { countBefore, type OrderedSamples } from "../samples.js";

const SECOND_MS = 1000;

/** Values for consecutive seconds, without a gap. */
export interface Seconds {
  /** Time of the first second, ms since 1970 UTC. */
  readonly startMs: number;
  /** Mean speed of the samples in each second, rounded half up. */
  readonly speedMmPerS: Int32Array;
  /** The last heart rate before the end of each second, at most 5 s old; 0 if unknown. */
  readonly heartRate: Uint8Array;
}

/**
 * Divides samples into seconds, starting at the first sample of each segment. A single second without a sample repeats the
 * previous second; several of them are a gap.
 *
 * @param selected all samples, for their heart rates
 */
export function secondsOf(
  selected: OrderedSamples,
  { timestampMs, speedMmPerS, segments }: ValidSpeeds,
): Seconds[] {
  const all: Seconds[] = [];
  for (const { first, last } of segments) {
    const startMs = timestampMs[first] ?? 0;
    let speeds: number[] = [];
    let begin = 0;
    const end = (next: number) => {
      if (speeds.length > 0) all.push(withHeartRates(selected, startMs + begin * SECOND_MS, speeds));
      speeds = [];
      begin = next;
    };
    for (let i = first; i <= last; ) {
      const second = Math.floor(((timestampMs[i] ?? 0) - startMs) / SECOND_MS);
      // samples may be slightly early or late
      if (second === begin + speeds.length + 1) speeds.push(speeds.at(-1) ?? 0);
      if (second !== begin + speeds.length) end(second);
      let sum = 0;
      let count = 0;
      const untilMs = startMs + (second + 1) * SECOND_MS;
      for (; i <= last && (timestampMs[i] ?? 0) < untilMs; i++, count++) sum += speedMmPerS[i] ?? 0;
      speeds.push(Math.floor(sum / count + 0.5));
    }
    end(0);
  }
  return all;
}

function withHeartRates({ timestampMs, hr }: OrderedSamples, startMs: number, speeds: number[]): Seconds {
  const heartRate = new Uint8Array(speeds.length);
  let next = countBefore(timestampMs, startMs - LONGEST_HOLD_MS);
  let heard = 0;
  let heardMs = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < speeds.length; k++) {
    const endMs = startMs + (k + 1) * SECOND_MS;
    for (; next < hr.length && (timestampMs[next] ?? 0) < endMs; next++) {
      if (!isValidHeartRate(hr[next] ?? 0)) continue;
      heard = hr[next] ?? 0;
      heardMs = timestampMs[next] ?? 0;
    }
    if (endMs - heardMs <= LONGEST_HOLD_MS) heartRate[k] = heard;
  }
  return { startMs, speedMmPerS: Int32Array.from(speeds), heartRate };
}
