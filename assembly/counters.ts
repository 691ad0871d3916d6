// Counts the frames of each kind and their bytes, and invalid frames.

export let knownBytes: i64 = 0;
export let unknownBytes: i64 = 0;
export let headerFrames: i32 = 0;
export let gnssFrames: i32 = 0;
export let ecgHrFrames: i32 = 0;
export let ecgRawFrames: i32 = 0;
export let unknownFrames: i32 = 0;
export let badChecksums: i32 = 0;
export let overlong: i32 = 0;
export let overruns: i32 = 0;
/**
 * The first damage: its offset in the stream, its signal (0 if there is no damage), and the time of the previous row in ms (NaN
 * if there is none).
 */
export let damageOffset: f64 = 0;
export let damageSignal: i32 = 0;
export let damageAfterMs: f64 = 0;
/** Sample rate of the last waveform frame, Hz. */
export let ecgRawHz: i32 = 0;

export function resetCounters(): void {
  knownBytes = unknownBytes = 0;
  headerFrames = gnssFrames = ecgHrFrames = ecgRawFrames = unknownFrames = 0;
  badChecksums = overlong = overruns = damageSignal = ecgRawHz = 0;
}

// @ts-ignore: decorator
@inline
export function countHeader(bytes: i32): void {
  headerFrames++;
  knownBytes += bytes;
}

// @ts-ignore: decorator
@inline
export function countGnss(frames: i32, bytes: i32): void {
  gnssFrames += frames;
  knownBytes += bytes;
}

// @ts-ignore: decorator
@inline
export function countHeartRate(bytes: i32): void {
  ecgHrFrames++;
  knownBytes += bytes;
}

// @ts-ignore: decorator
@inline
export function countWaveform(bytes: i32, sampleRateHz: i32): void {
  ecgRawFrames++;
  ecgRawHz = sampleRateHz;
  knownBytes += bytes;
}

// @ts-ignore: decorator
@inline
export function countUnknown(frames: i32, bytes: i32): void {
  unknownFrames += frames;
  unknownBytes += bytes;
}

/** Counts a frame that has a wrong checksum or is too long. */
// @ts-ignore: decorator
@inline
export function countFalse(withBadChecksum: i32, tooLong: i32): void {
  badChecksums += withBadChecksum;
  overlong += tooLong;
}

/** Stores the position of the first damage. */
export function noteDamage(signal: i32, offset: i64, afterMs: f64): void {
  if (damageSignal != 0) return;
  damageSignal = signal;
  damageOffset = offset as f64;
  damageAfterMs = afterMs;
}

/** Counts a frame that extends past the end of the input. */
// @ts-ignore: decorator
@inline
export function countOverrun(): void {
  overruns++;
}
