import { computeMetrics } from "asi-convert/metrics";
import { computedDataFrom } from "./computed-data.js";

const START_MS = Date.UTC(2024, 0, 1, 6);
const SAMPLES = 200;

/** Returns the speed in mm/s during a run of 20 s at 10 Hz: two seconds of rest, a start, a sprint, and a stop. */
function speedAt(sample: number): number {
  const rising = Math.min(8000, Math.max(0, (sample - 20) * 400));
  return Math.min(rising, Math.max(0, (SAMPLES - sample) * 350));
}

/** Returns computed data of a short run, for the documentation. */
export function exampleComputedData() {
  const hr = Uint8Array.from({ length: SAMPLES }, (_, i) => (i % 10 === 0 ? 120 + i / 5 : 0));
  const columns = {
    length: SAMPLES,
    timestampMs: Float64Array.from({ length: SAMPLES }, (_, i) => START_MS + i * 100),
    speedMmPerS: Int32Array.from({ length: SAMPLES }, (_, i) => speedAt(i)),
    hr,
  };
  const metrics = computeMetrics(columns, {
    preset: "soccer",
    from: START_MS,
    to: START_MS + 60_000,
    birthDate: "1996-06-02",
  });
  return computedDataFrom(metrics, START_MS + 3_600_000);
}
