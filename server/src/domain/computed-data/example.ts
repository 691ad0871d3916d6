import { analyse, effectiveParameters } from "../../analytics/index.js";

const START_MS = Date.UTC(2024, 0, 1, 6);
const SAMPLES = 200;

/** Speed in mm/s during a run of 20 s at 10 Hz: two seconds of rest, a start, a sprint, and a stop. */
function speedAt(sample: number): number {
  const rising = Math.min(8000, Math.max(0, (sample - 20) * 400));
  return Math.min(rising, Math.max(0, (SAMPLES - sample) * 350));
}

/** The computed data of a short run, for the documentation. */
export function exampleComputedData() {
  const heartRateBpm = Uint8Array.from({ length: SAMPLES }, (_, i) => (i % 10 === 0 ? 120 + i / 5 : 0));
  const columns = {
    timestampMs: Float64Array.from({ length: SAMPLES }, (_, i) => START_MS + i * 100),
    speedMmPerS: Int32Array.from({ length: SAMPLES }, (_, i) => speedAt(i)),
    heartRateBpm,
  };
  const frame = {
    startMs: START_MS,
    stopMs: START_MS + 60_000,
    ownership: [{ startMs: START_MS, endMs: Number.POSITIVE_INFINITY }],
    athleteBirthDate: "1996-06-02",
  };
  return analyse(columns, frame, effectiveParameters("soccer", {}), START_MS + 3_600_000);
}
