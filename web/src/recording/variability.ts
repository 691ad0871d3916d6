import type { BeatBatch } from "asi-convert";
import { beatsBetween, type HeartRateVariability, heartRateVariability } from "asi-convert/metrics";
import { buildPyramid, type Pyramid } from "../plots/pyramid.js";
import type { TimeWindow } from "../view/window.js";
import { ALPHA_FACTOR } from "./recording.js";

/** Alpha 1 comes every 5 s; a missing one interrupts the line. */
const ALPHA_GAP_MS = 7500;

/** Heart-rate variability of a part of a recording, as `asi stats --hrv --from --to` computes it. */
export function variabilityOf(
  beats: BeatBatch,
  { startMs, stopMs }: TimeWindow,
  atRest: boolean,
): HeartRateVariability {
  return heartRateVariability(beatsBetween(beats, startMs, stopMs), { atRest });
}

/** Alpha 1 of detrended fluctuation analysis over time, for a plot. */
export function alphaOf(beats: BeatBatch): Pyramid {
  const known = heartRateVariability(beats).dfa_alpha1.flatMap(({ end_time: ms, alpha1 }) =>
    alpha1 === null ? [] : [{ ms, alpha1 }],
  );
  return buildPyramid({
    timesMs: Float64Array.from(known, ({ ms }) => ms),
    values: Int32Array.from(known, ({ alpha1 }) => Math.round(alpha1 / ALPHA_FACTOR)),
    gapMs: ALPHA_GAP_MS,
  });
}
