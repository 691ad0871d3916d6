// Decides each second whether there is a heart rate. The decision depends on the beats of the last seconds.

import { noise, signal } from "./levels";
import {
  clearRing,
  dropOldest,
  lengthOf,
  medianOf,
  oldestOf,
  pushTo,
  RING_16,
  RING_4,
  RING_8,
  ranked,
} from "./ranks";

const MIN_RRS: i32 = 4;
// Time that the RR intervals for a reading cover, s.
const HISTORY_S: f64 = 8;
const MAX_BEATS: i32 = 8;
const MIN_BPM: f64 = 24;
const MAX_BPM: f64 = 220;
/** Weaker signals are rounding errors of the converter. In units of the samples. */
export const MIN_SIGNAL: f64 = 0.25;
// Number of consecutive good seconds after which a reading is valid.
const GOOD_SECONDS: i32 = 3;

const RRS: usize = memory.data(RING_16, 16);
const ENDS: usize = memory.data(RING_16, 16);
const VALLEYS: usize = memory.data(RING_8, 16);
const LAST_VALLEYS: usize = memory.data(RING_4, 16);
const DOUBLES: usize = memory.data(RING_8, 16);
const SCORES: usize = memory.data(RING_8, 16);

let goodSeconds: i32 = 0;

export function clearReading(): void {
  goodSeconds = 0;
  clearRing(RRS, 16);
  clearRing(ENDS, 16);
  clearRing(VALLEYS, 8);
  clearRing(LAST_VALLEYS, 4);
  clearRing(DOUBLES, 8);
  clearRing(SCORES, 8);
}

export function addBeat(score: f64, valley: f64, isDouble: bool): void {
  pushTo(SCORES, score);
  pushTo(VALLEYS, valley);
  pushTo(LAST_VALLEYS, valley);
  pushTo(DOUBLES, isDouble ? 1 : 0);
}

/** Adds an RR interval. `endS` is the time of the beat that ends it, s since an arbitrary instant. */
export function addReadingRr(rrS: f64, endS: f64): void {
  pushTo(RRS, rrS);
  pushTo(ENDS, endS);
}

/** Returns the median valley of the last four beats, or of all beats if there are fewer. */
export function lastValley(): f64 {
  return medianOf(LAST_VALLEYS);
}

/** Returns the reading for the second that ends at `nowS`, in beats per minute, not rounded; 0 if there is none. */
export function readingAt(nowS: f64, lastBeatS: f64): f64 {
  const bpm = possibleReading(nowS, lastBeatS);
  if (bpm == 0) {
    goodSeconds = 0;
    return 0;
  }
  goodSeconds++;
  return goodSeconds >= GOOD_SECONDS ? bpm : 0;
}

function possibleReading(nowS: f64, lastBeatS: f64): f64 {
  while (lengthOf(RRS) > MIN_RRS && oldestOf(ENDS) <= nowS - HISTORY_S) {
    dropOldest(RRS);
    dropOldest(ENDS);
  }
  const count = lengthOf(RRS);
  if (count < MIN_RRS || signal < MIN_SIGNAL) return 0;
  const median = medianOf(RRS);
  let total: f64 = 0;
  let inliers: f64 = 0;
  let inlierTotal: f64 = 0;
  for (let i = 0; i < count; i++) {
    const rr = ranked(RRS, i);
    total += rr;
    if (rr < 0.5 * median || rr > 1.7 * median) continue;
    inliers++;
    inlierTotal += rr;
  }
  if (inlierTotal < 0.8 * total) return 0;
  const mean = inlierTotal / inliers;
  if (nowS - lastBeatS > 1 + 1.75 * mean) return 0;
  const bpm = 60 / mean;
  if (bpm < MIN_BPM || bpm > MAX_BPM || noise > 0.45 * signal) return 0;
  const dropped = (count + 4) / 8;
  const spread = (ranked(RRS, count - 1 - dropped) - ranked(RRS, dropped)) / median;
  return isPlausible(spread) ? bpm : 0;
}

function isPlausible(spread: f64): bool {
  const count = lengthOf(SCORES);
  const valley = medianOf(VALLEYS);
  // at least four beats are doubtful if the fourth-largest of the sorted values, which are ones and zeros, is a one
  if (valley > 0.38 || (count >= 4 && ranked(DOUBLES, count - 4) == 1)) return false;
  const dropped: i32 = count == MAX_BEATS ? 1 : 0;
  const ratio = ranked(SCORES, count - 1 - dropped) / ranked(SCORES, dropped);
  if (ratio > 6 || spread > 0.9) return false;
  return spread <= 0.3 || (valley <= 0.25 && noise <= 0.25 * signal && ratio <= 4);
}
