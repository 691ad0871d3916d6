import { computeMetrics } from "asi-convert/metrics";
import { describe, expect, it } from "vitest";
import { slicesOf } from "../src/app/activities/slices.js";

const START = Date.UTC(2025, 4, 17, 12);

/** Returns the slices of a run with a sequence of speeds. */
function slices(...parts: { seconds: number; speedMmPerS: number }[]) {
  const speeds = parts.flatMap(({ seconds, speedMmPerS }) =>
    Array.from({ length: seconds * 10 }, () => speedMmPerS),
  );
  const length = speeds.length + 1;
  const { intensity } = computeMetrics(
    {
      length,
      timestampMs: Float64Array.from({ length }, (_, i) => START + i * 100),
      speedMmPerS: Int32Array.from({ length }, (_, i) => speeds[Math.min(i, length - 2)] ?? 0),
      hr: new Uint8Array(length),
    },
    { preset: "soccer" },
  );
  return slicesOf(intensity);
}

describe("the columns of distance per minute", () => {
  it("have the height of a whole minute at the same pace, even if the last one is shorter", () => {
    const steady = slices({ seconds: 150, speedMmPerS: 4000 });
    expect(steady.map(({ startMs }) => startMs - START)).toEqual([0, 60_000, 120_000]);
    expect(steady.map(({ seconds }) => seconds)).toEqual([60, 60, 30]);
    expect(steady.map(({ metres }) => Math.round(metres))).toEqual([240, 240, 120]);
    for (const { height } of steady) expect(height).toBeCloseTo(1, 3);
    const slower = slices({ seconds: 60, speedMmPerS: 4000 }, { seconds: 20, speedMmPerS: 1000 });
    expect(slower[1]?.height).toBeCloseTo(0.25, 2);
  });

  it("do not shrink because the last one is shorter and faster", () => {
    const sprint = slices({ seconds: 60, speedMmPerS: 2000 }, { seconds: 5, speedMmPerS: 7000 });
    expect(sprint.map(({ height }) => height)).toEqual([1, 1]);
  });

  it("exist for less than a minute, and for an athlete who stands still", () => {
    expect(slices({ seconds: 20, speedMmPerS: 3000 }).map(({ height }) => height)).toEqual([1]);
    expect(slices({ seconds: 20, speedMmPerS: 0 }).map(({ height }) => height)).toEqual([0]);
  });
});
