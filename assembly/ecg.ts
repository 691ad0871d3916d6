// Joins heart rates to rows by time (docs/recording-format.md, "Rows"). A queue holds the last 16 readings in file order. A row
// removes the latest reading that is not later than the row, and uses it if it is less than a second old.

const MOST_WAITING: i32 = 16;
const MAX_AGE_MS: i64 = 1000;

// The source of the readings for rows: ECG-HR, the waveform, or the waveform until the first reading of ECG-HR.
export const FROM_DEVICE: i32 = 0;
export const FROM_WAVEFORM: i32 = 1;

// time u64, heart rate u8, derived flag u8, padded to 16 bytes. The queue moves up in the buffer, and back to the start at its
// end.
const ROOM: i32 = 4 * MOST_WAITING;
const WAITING: usize = memory.data(16 * ROOM, 16);
const WAITING_END: usize = WAITING + 16 * ROOM;

let firstWaiting: usize = WAITING;
let waiting: i32 = 0;
let carriedTime: i64 = 0;
let carriedRate: i32 = 0;
let carriedIsDerived: bool = false;
let carriedMaxAgeMs: i64 = 0;
let source: i32 = FROM_DEVICE;
let analysesAll: bool = false;

/** Whether rows, figures or beats need the waveform. */
export let readsWaveform: bool = false;
/** Number of readings without a row, because another one with the same time follows. */
export let replacedReadings: i32 = 0;
/** Whether the last heart rate of a row was derived. */
export let isDerived: bool = false;

export function resetHeartRate(fillMs: f64, heartRateSource: i32, analysesWaveform: bool): void {
  source = heartRateSource;
  analysesAll = analysesWaveform;
  readsWaveform = analysesWaveform || heartRateSource != FROM_DEVICE;
  firstWaiting = WAITING;
  waiting = 0;
  carriedRate = 0;
  replacedReadings = 0;
  carriedMaxAgeMs = fillMs as i64;
}

export const MIN_HEART_RATE_PAYLOAD: i32 = 12;

/** Returns whether a frame is an ECG-HR with 12 + 2n bytes of payload. */
// @ts-ignore: decorator
@inline
export function isHeartRate(payload: usize, length: i32): bool {
  return length >= MIN_HEART_RATE_PAYLOAD && length == MIN_HEART_RATE_PAYLOAD + 2 * (load<u8>(payload, 10) as i32);
}

/** Returns whether a frame is an ECG-RAW with 16 + 2n bytes of payload. */
// @ts-ignore: decorator
@inline
export function isWaveform(payload: usize, length: i32): bool {
  return length >= 16 && length == 16 + 2 * (load<u16>(payload, 12) as i32);
}

/** Returns the sample rate of an ECG-RAW, Hz. */
// @ts-ignore: decorator
@inline
export function waveformRate(payload: usize): i32 {
  return load<u16>(payload, 8);
}

/** Adds the reading of an ECG-HR to the queue. */
// @ts-ignore: decorator
@inline
export function queueHeartRate(payload: usize): void {
  const rate: i32 = load<u8>(payload, 8);
  if (rate == 0 || source == FROM_WAVEFORM) return;
  source = FROM_DEVICE;
  readsWaveform = analysesAll;
  queue(load<u64>(payload), rate, 0);
}

/** Adds a reading derived from the waveform to the queue. */
export function queueDerived(timeMs: u64, rate: i32): void {
  if (source != FROM_DEVICE) queue(timeMs, rate, 1);
}

// @ts-ignore: decorator
@inline
function queue(timeMs: u64, rate: i32, derived: u8): void {
  if (waiting == MOST_WAITING) {
    firstWaiting += 16;
    waiting--;
  }
  let entry = firstWaiting + (waiting << 4);
  if (entry == WAITING_END) {
    memory.copy(WAITING, firstWaiting, waiting << 4);
    firstWaiting = WAITING;
    entry = WAITING + (waiting << 4);
  }
  store<u64>(entry, timeMs);
  store<u8>(entry, rate as u8, 8);
  store<u8>(entry, derived, 9);
  waiting++;
}

/** Returns whether the next rows have no heart rate, whatever their times are. */
// @ts-ignore: decorator
@inline
export function isWithoutHeartRate(): bool {
  return waiting == 0 && carriedMaxAgeMs <= 0;
}

/** Returns the heart rate for a row at `ms`; 0 if there is none. */
// @ts-ignore: decorator
@inline
export function heartRateAt(ms: i64): i32 {
  const own = waiting == 0 ? 0 : takeHeartRate(ms);
  return own == 0 && carriedMaxAgeMs > 0 ? carriedHeartRate(ms) : own;
}

function takeHeartRate(ms: i64): i32 {
  // times are unsigned, so before 1970 every reading is later than the row
  if (ms < 0) return 0;
  let rate: i32 = 0;
  let time: u64 = 0;
  let previousTime: u64 = u64.MAX_VALUE;
  let derived: bool = false;
  let kept: i32 = 0;
  for (let i = 0; i < waiting; i++) {
    const entry = firstWaiting + (i << 4);
    const t = load<u64>(entry);
    if (t > (ms as u64)) {
      const place = firstWaiting + (kept << 4);
      store<u64>(place, t);
      store<u64>(place, load<u64>(entry, 8), 8);
      kept++;
    } else {
      if (t == previousTime) replacedReadings++;
      previousTime = t;
      if (rate == 0 || t >= time) {
        time = t;
        rate = load<u8>(entry, 8);
        derived = load<u8>(entry, 9) != 0;
      }
    }
  }
  waiting = kept;
  if (rate == 0) return 0;
  if (carriedRate == 0 || (time as i64) >= carriedTime) {
    carriedTime = time as i64;
    carriedRate = rate;
    carriedIsDerived = derived;
  }
  isDerived = derived;
  return ms - (time as i64) < MAX_AGE_MS ? rate : 0;
}

function carriedHeartRate(ms: i64): i32 {
  const age = ms - carriedTime;
  isDerived = carriedIsDerived;
  return carriedRate != 0 && age >= 0 && age <= carriedMaxAgeMs ? carriedRate : 0;
}
