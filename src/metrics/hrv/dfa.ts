import { fitLine } from "../least-squares.js";
import { correctIntervals, type Label, labelArtefacts } from "./artefacts.js";

const SHORTEST_SCALE = 4;
const LONGEST_SCALE = 16;

export const DFA_WINDOW_MS = 120_000;
const DFA_STEP_MS = 5000;

/** Above this percentage of artefacts, alpha 1 is not computed (the bias is small below 3 %: Rogers and Gronwald 2022). */
export const MOST_ARTEFACTS_PERCENT = 5;

/**
 * Computes the short-term scaling exponent of detrended fluctuation analysis, with scales of 4 to 16 beats, windows from the
 * start, and linear detrending.
 *
 * @param rrMs intervals without artefacts
 * @returns null with fewer than 16 intervals, or without fluctuation
 */
export function dfaAlpha1(rrMs: ArrayLike<number>): number | null {
  if (rrMs.length < LONGEST_SCALE) return null;
  const profile = profileOf(rrMs);
  const x: number[] = [];
  const y: number[] = [];
  for (let scale = SHORTEST_SCALE; scale <= LONGEST_SCALE; scale++) {
    const fluctuation = fluctuationOf(profile, scale);
    if (!(fluctuation > 0)) return null;
    x.push(Math.log(scale));
    y.push(Math.log(fluctuation));
  }
  return fitLine(x, y).slope;
}

/** Returns the cumulative sum of the deviations from the mean. */
function profileOf(rrMs: ArrayLike<number>): Float64Array {
  const profile = new Float64Array(rrMs.length);
  let mean = 0;
  for (let i = 0; i < rrMs.length; i++) mean += rrMs[i] ?? 0;
  mean /= rrMs.length;
  let sum = 0;
  for (let i = 0; i < rrMs.length; i++) {
    sum += (rrMs[i] ?? 0) - mean;
    profile[i] = sum;
  }
  return profile;
}

/** Returns the root mean square of the deviations from straight lines in windows. */
function fluctuationOf(profile: Float64Array, scale: number): number {
  const windows = Math.floor(profile.length / scale);
  const middle = (scale - 1) / 2;
  const squaresOfIndex = (scale * (scale * scale - 1)) / 12;
  let total = 0;
  for (let w = 0; w < windows; w++) {
    const from = w * scale;
    let mean = 0;
    for (let i = 0; i < scale; i++) mean += profile[from + i] ?? 0;
    mean /= scale;
    let slope = 0;
    for (let i = 0; i < scale; i++) slope += (i - middle) * ((profile[from + i] ?? 0) - mean);
    slope /= squaresOfIndex;
    let squares = 0;
    for (let i = 0; i < scale; i++) squares += ((profile[from + i] ?? 0) - mean - slope * (i - middle)) ** 2;
    total += squares / scale;
  }
  return Math.sqrt(total / windows);
}

/** Alpha 1 for the 120 s before a time; not rounded. */
export interface DfaWindow {
  /** ms since the first beat of the series. */
  readonly endMs: number;
  readonly beats: number;
  readonly artefactsPercent: number;
  /** Alpha 1; null if there are too many artefacts, or there is no fluctuation. */
  readonly alpha1: number | null;
  /** bpm */
  readonly meanHeartRate: number;
}

/**
 * Computes alpha 1 every 5 s from the beats of the last 120 s of a series without gaps. Labels are computed for the whole series;
 * each window is corrected separately. Windows with fewer than 16 beats are omitted, so the number of windows is limited by the
 * number of beats.
 */
export function dfaOverTime(
  rrMs: ArrayLike<number>,
  labels: readonly Label[] = labelArtefacts(rrMs),
  stepMs = DFA_STEP_MS,
): DfaWindow[] {
  const rr = Float64Array.from(rrMs);
  const beatMs = new Float64Array(rr.length);
  let sum = 0;
  for (let i = 0; i < rr.length; i++) {
    sum += rr[i] ?? 0;
    beatMs[i] = sum;
  }
  const windows: DfaWindow[] = [];
  let from = 0;
  let to = 0;
  for (let endMs = DFA_WINDOW_MS; endMs <= sum; endMs += stepMs) {
    while ((beatMs[from] ?? endMs) <= endMs - DFA_WINDOW_MS) from++;
    while (to < rr.length && (beatMs[to] ?? 0) <= endMs) to++;
    if (to - from < LONGEST_SCALE) continue;
    const inside = rr.subarray(from, to);
    const labelsInside = labels.slice(from, to);
    const artefactsPercent = (100 * labelsInside.filter((label) => label !== null).length) / inside.length;
    windows.push({
      endMs,
      beats: inside.length,
      artefactsPercent,
      alpha1:
        artefactsPercent > MOST_ARTEFACTS_PERCENT ? null : dfaAlpha1(correctIntervals(inside, labelsInside)),
      meanHeartRate: (60_000 * inside.length) / inside.reduce((total, ms) => total + ms, 0),
    });
  }
  return windows;
}
