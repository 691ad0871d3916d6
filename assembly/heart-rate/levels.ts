// Adapted levels of the detector: the scores of beats and noise, and the interval between beats.

import { clearRing, lengthOf, medianOf, pushTo, RING_16, RING_8, ranked } from "./ranks";

// Initial RR interval, s.
const FIRST_RR_S: f64 = 0.8;

const SCORES: usize = memory.data(RING_8, 16);
const REJECTED: usize = memory.data(RING_16, 16);
const RRS: usize = memory.data(RING_8, 16);

/** Levels of beats and of rejected maxima, in units of the envelope. */
export let signal: f64 = 0;
export let noise: f64 = 0;
/** Median and lower quartile of the RR intervals, s. */
export let rrS: f64 = FIRST_RR_S;
export let shortRrS: f64 = FIRST_RR_S;

export function clearLevels(): void {
  setSignal(0);
  clearRing(SCORES, 8);
  clearRrs();
}

export function clearRrs(): void {
  clearRing(RRS, 8);
  rrS = shortRrS = FIRST_RR_S;
}

/** Restarts with a given level of beats. */
export function setSignal(level: f64): void {
  signal = level;
  noise = 0;
  clearRing(SCORES, 8);
  pushTo(SCORES, level);
  clearRing(REJECTED, 16);
}

export function acceptScore(score: f64): void {
  pushTo(SCORES, min<f64>(score, 2 * signal));
  signal = medianOf(SCORES);
  updateNoise();
}

export function rejectScore(score: f64): void {
  pushTo(REJECTED, score);
  updateNoise();
}

export function addRr(intervalS: f64): void {
  pushTo(RRS, intervalS);
  shortRrS = ranked(RRS, (lengthOf(RRS) - 1) >> 2);
  rrS = medianOf(RRS);
}

function updateNoise(): void {
  const count = lengthOf(REJECTED);
  if (count == 0) return;
  noise = min<f64>(signal, ranked(REJECTED, floor<f64>(0.65 * ((count - 1) as f64) + 0.5) as i32));
}
