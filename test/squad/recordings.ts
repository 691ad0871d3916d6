import type { SquadRecording } from "../../src/squad/squad-members.js";
import type { SampleBatch } from "../../src/types.js";

/** Rows at given times, ms since 1970 UTC, with constant speed. */
export function rowsAt(timesMs: readonly number[], speedMmPerS = 3000): SampleBatch {
  const { length } = timesMs;
  return {
    length,
    timestampMs: Float64Array.from(timesMs),
    latitudeE7: new Int32Array(length),
    longitudeE7: new Int32Array(length),
    altitudeMm: new Int32Array(length),
    speedMmPerS: new Int32Array(length).fill(speedMmPerS),
    hr: new Uint8Array(length),
    fixType: new Uint8Array(length).fill(3),
  };
}

/** An undamaged recording of a tracker. */
export function recordingOfRows(
  serial: string,
  samples: SampleBatch,
  fileName = `${serial}.asi`,
): SquadRecording {
  return { fileName, serial, samples, isDamaged: false, isTruncated: false, damagedAfterMs: [] };
}
