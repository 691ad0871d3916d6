import {
  type Beats,
  beatsBetween,
  gapsAfter,
  type HeartRateVariability,
  heartRateVariability,
} from "asi-convert/metrics";
import { buildPyramid, type Pyramid } from "../plots/pyramid.js";
import type { TimeWindow } from "../view/window.js";
import { ALPHA_FACTOR } from "./recording.js";

/** There is a value of alpha 1 every 5 s. A missing value interrupts the line. */
const ALPHA_GAP = { minMs: 7500, steps: 0 };

/** Returns the heart-rate variability of a part of a recording, as in `asi stats --hrv --from --to`. */
export function variabilityOf(
  beats: Beats,
  { startMs, stopMs }: TimeWindow,
  atRest: boolean,
): HeartRateVariability {
  return heartRateVariability(beatsBetween(beats, startMs, stopMs), { atRest });
}

/** Returns alpha 1 of detrended fluctuation analysis over time, for a plot. */
export function alphaOf(beats: Beats): Pyramid {
  const known = heartRateVariability(beats).dfa_alpha1.flatMap(({ end_time: ms, alpha1 }) =>
    alpha1 === null ? [] : [{ ms, alpha1 }],
  );
  const timesMs = Float64Array.from(known, ({ ms }) => ms);
  return buildPyramid({
    timesMs,
    values: Int32Array.from(known, ({ alpha1 }) => Math.round(alpha1 / ALPHA_FACTOR)),
    gapsAfter: new Set(gapsAfter(timesMs, ALPHA_GAP)),
  });
}
