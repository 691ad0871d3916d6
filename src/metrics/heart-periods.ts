import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { holdHeartRates, isValidHeartRate } from "./heart-rate.js";
import type { Period } from "./options.js";
import { type MetricSamples, orderSamples } from "./samples.js";

/**
 * Returns the periods of a recording in which the heart rate is in a range. With them as the option `periods`, other functions
 * use only the samples of these periods. A heart rate is valid until the next one, for at most 5 s.
 *
 * @param lowBpm  lowest heart rate of the range, an integer from 30 to 240
 * @param highBpm highest heart rate of the range, included
 * @returns ascending and disjoint; empty if no heart rate is in the range
 * @throws AsiError `BAD_OPTION` for invalid limits; `BAD_ARGUMENT` for invalid samples
 */
export function heartRatePeriods(
  samples: MetricSamples | Iterable<MetricSamples>,
  lowBpm: number,
  highBpm: number,
): Period[] {
  const isLimit = (bpm: number) => Number.isSafeInteger(bpm) && isValidHeartRate(bpm);
  if (!isLimit(lowBpm) || !isLimit(highBpm) || lowBpm > highBpm) {
    throw new AsiError(
      "BAD_OPTION",
      `The range of heart rates is ${shown(lowBpm)} to ${shown(highBpm)}; give two whole numbers from 30 to 240, the lower one first.`,
    );
  }
  const ordered = orderSamples(samples);
  const lastMs = ordered.timestampMs[ordered.length - 1] ?? 0;
  const periods: { startMs: number; endMs: number }[] = [];
  // the last sample is included
  holdHeartRates(ordered, lastMs + 1, (bpm, startMs, endMs) => {
    if (bpm < lowBpm || bpm > highBpm) return;
    const last = periods.at(-1);
    if (last?.endMs === startMs) last.endMs = endMs;
    else periods.push({ startMs, endMs });
  });
  return periods;
}
