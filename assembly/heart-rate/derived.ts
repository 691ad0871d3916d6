// Derives data from the waveform: beats, a heart rate each second, and figures.

import { queueDerived } from "../ecg";
import { OUTPUT } from "../memory";

// Successive RR intervals that differ by more than this share are not a pair for RMSSD, because one of them contains a
// premature beat.
const MAX_DIFFERENCE: f64 = 0.2;

// the clock: time of the sample `clockN`
let clockMs: f64 = 0;
let clockN: i64 = 0;
let rateHz: f64 = 0;

/** The end of the beats of this step. A beat takes fewer bytes than its frames, so there is always enough space. */
export let beatsEnd: usize = OUTPUT;
let putsBeats: bool = false;

// --- figures of the whole waveform ---

/** The number of seconds of signal, and of seconds with a reading; the sum and the maximum of the readings. */
export let seconds: i32 = 0;
export let readings: i32 = 0;
export let readingSum: f64 = 0;
export let readingMax: f64 = 0;
/** The number of pairs of successive RR intervals, and the sum of their squared differences, ms². */
export let rrPairs: i32 = 0;
export let rrSquares: f64 = 0;
let previousRrMs: f64 = 0;

export function resetDerived(withBeats: bool): void {
  putsBeats = withBeats;
  seconds = readings = rrPairs = 0;
  readingSum = readingMax = rrSquares = previousRrMs = 0;
}

export function beginBeats(): void {
  beatsEnd = OUTPUT;
}

/** Sets the clock: `ms` is the time of sample `n`. */
export function setClock(ms: f64, n: i64, sampleRateHz: i32): void {
  clockMs = ms;
  clockN = n;
  rateHz = sampleRateHz as f64;
}

/** Returns the time of sample `n`, ms since 1970 UTC. */
export function timeMsOf(n: i64): f64 {
  return clockMs + (((n - clockN) as f64) * 1000) / rateHz;
}

function wholeTimeMs(n: i64): f64 {
  return floor<f64>(timeMsOf(n) + 0.5);
}

/**
 * Outputs a beat at `n`, a sample index with a fraction, as f64s. `rrS` is the time since the last beat, or 0 after a gap or
 * pause; `quality` is 0 to 1.
 */
export function onBeat(n: f64, rrS: f64, quality: f64): void {
  const rrMs = rrS * 1000;
  countRr(rrMs);
  if (!putsBeats) return;
  store<f64>(beatsEnd, floor<f64>(clockMs + ((n - (clockN as f64)) * 1000) / rateHz + 0.5));
  store<f64>(beatsEnd, rrMs, 8);
  store<f64>(beatsEnd, floor<f64>(100 * quality + 0.5), 16);
  beatsEnd += 24;
}

/** Handles a beat that is not reported. */
export function onDoubtfulBeat(): void {
  previousRrMs = 0;
}

function countRr(rrMs: f64): void {
  const difference = rrMs - previousRrMs;
  if (rrMs > 0 && previousRrMs > 0 && abs<f64>(difference) <= MAX_DIFFERENCE * previousRrMs) {
    rrPairs++;
    rrSquares += difference * difference;
  }
  previousRrMs = rrMs;
}

/** Ends the second before sample `n`. `bpm` is the heart rate known at that time, or 0. */
export function onSecond(n: i64, bpm: f64): void {
  const rounded = floor<f64>(bpm + 0.5);
  seconds++;
  if (rounded == 0) return;
  readings++;
  readingSum += bpm;
  readingMax = max<f64>(readingMax, bpm);
  queueDerived(wholeTimeMs(n) as u64, rounded as i32);
}
