// Handles the order of the pieces of an ECG waveform (ECG-RAW) in time, and gaps and overlaps between them.

import { endBeats, forgetBeats, nextSample, pushSamples, skipSamples } from "./beats";
import { resetDerived, setClock, timeMsOf } from "./derived";

const MIN_RATE_HZ: i32 = 100;
const MAX_RATE_HZ: i32 = 1000;
// The last instant of the year 9999. No row is later.
const MAX_TIME_MS: u64 = 253402300799999;
// A piece continues the previous one if its time differs from the expected time by at most the larger of these tolerances.
const TOLERANCE_SAMPLES: f64 = 1.5;
const TOLERANCE_MS: f64 = 20;
// Share of a time error by which the clock is corrected.
const FOLLOWING: f64 = 1.0 / 8;
// A piece after a longer gap begins a new signal.
const MAX_GAP_MS: f64 = 3600000;
// Contiguous pieces that are older than the known signal begin a new signal when they have this length.
const OLD_SIGNAL_S: f64 = 10;

// Sample rate, Hz; 0 if unknown.
let rateHz: i32 = 0;
let toleranceMs: f64 = 0;
// number of samples older than the known signal
let oldSamples: i32 = 0;
let oldEndMs: f64 = 0;

export function resetWaveform(putsBeats: bool): void {
  rateHz = 0;
  resetDerived(putsBeats);
}

/** Processes the payload of an ECG-RAW. Sample rates other than 100 to 1000 Hz, and times after the year 9999, are ignored. */
export function takeWaveform(payload: usize): void {
  const rate: i32 = load<u16>(payload, 8);
  const count: i32 = load<u16>(payload, 12);
  const time = load<u64>(payload);
  if (rate < MIN_RATE_HZ || rate > MAX_RATE_HZ || count == 0 || time > MAX_TIME_MS) return;
  const timeMs = time as f64;
  const samples = payload + 16;
  if (rate != rateHz) {
    begin(timeMs, rate);
    push(samples, count);
    return;
  }
  const expectedMs = timeMsOf(nextSample);
  const errorMs = timeMs - expectedMs;
  if (errorMs < -toleranceMs) {
    takeOverlapping(timeMs, expectedMs, samples, count);
    return;
  }
  if (errorMs <= toleranceMs) {
    setClock(expectedMs + FOLLOWING * errorMs, nextSample, rateHz);
  } else if (errorMs > MAX_GAP_MS) {
    begin(timeMs, rate);
  } else {
    skipSamples(floor<f64>((errorMs * (rate as f64)) / 1000 + 0.5) as i64);
    setClock(timeMs, nextSample, rateHz);
  }
  push(samples, count);
}

/** Ends the waveform, and reports the last beats. */
export function endWaveform(): void {
  if (rateHz != 0) endBeats();
  rateHz = 0;
}

function takeOverlapping(timeMs: f64, expectedMs: f64, samples: usize, count: i32): void {
  const rate = rateHz as f64;
  const known = floor<f64>(((expectedMs - timeMs) * rate) / 1000 + 0.5);
  if (known < (count as f64)) {
    setClock(expectedMs, nextSample, rateHz);
    push(samples + ((known as usize) << 1), count - (known as i32));
    return;
  }
  const isContiguous = oldSamples > 0 && abs<f64>(timeMs - oldEndMs) <= TOLERANCE_MS;
  oldSamples = (isContiguous ? oldSamples : 0) + count;
  oldEndMs = timeMs + ((count as f64) * 1000) / rate;
  if ((oldSamples as f64) < OLD_SIGNAL_S * rate) return;
  begin(timeMs, rateHz);
  push(samples, count);
}

function begin(timeMs: f64, rate: i32): void {
  endWaveform();
  rateHz = rate;
  toleranceMs = max<f64>((TOLERANCE_SAMPLES * 1000) / (rate as f64), TOLERANCE_MS);
  forgetBeats(rate as f64);
  setClock(timeMs, nextSample, rateHz);
}

function push(samples: usize, count: i32): void {
  oldSamples = 0;
  pushSamples(samples, count);
}
