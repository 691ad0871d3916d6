import { readFileSync } from "node:fs";
import { decodeSync } from "asi-convert";
import { computeMetrics } from "asi-convert/metrics";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { valueTicks } from "../src/plots/plot.js";
import { distanceOf } from "../src/recording/figures.js";
import { placeByDistance } from "../src/recording/placed.js";
import { prepare } from "../src/recording/prepare.js";
import { axisTicks } from "../src/view/axis.js";
import { fixturePath } from "./fixtures.js";

function opened(name: string) {
  const { samples } = decodeSync(readFileSync(fixturePath(name)));
  const facts = {
    fileName: name,
    fileBytes: 0,
    kind: "asi",
    info: null,
    report: null,
    cutOff: null,
    engine: null,
    notes: [],
  } as const;
  const { recording, rows } = prepare(1, [samples], { ...facts, notes: [] });
  const curve = distanceOf(rows, {
    preset: "soccer",
    maxHeartRate: null,
    maxSpeedMPerS: null,
    aerobicSpeedMPerS: null,
  });
  return { recording, samples, placed: placeByDistance(recording, 0, curve) };
}

describe("a recording by distance", () => {
  const { recording, samples, placed } = opened("valid/match-hr.asi");

  it("ends at its distance, and the whole axis covers the whole recording", () => {
    const { total_distance } = computeMetrics(samples);
    expect(placed.whole.stopMs / 1000).toBeCloseTo(total_distance ?? 0, 2);
    expect(placed.partIn(placed.whole)).toEqual({ startMs: recording.startMs, stopMs: recording.stopMs });
  });

  it("has the instant at which each distance was covered", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: placed.whole.stopMs, noNaN: true }), (mm) => {
        const instant = placed.instantAt(mm);
        expect(instant).not.toBeNull();
        expect(Math.abs(placed.positionOf(instant ?? 0) - mm)).toBeLessThan(1);
      }),
    );
    expect(placed.instantAt(placed.whole.stopMs + 1000)).toBeNull();
  });

  it("has adjacent parts, each of which begins where the previous one ends and includes standing still at both ends", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: placed.whole.stopMs, noNaN: true }), (mm) => {
        const before = placed.partIn({ startMs: 0, stopMs: mm });
        const after = placed.partIn({ startMs: mm, stopMs: placed.whole.stopMs });
        expect(before.stopMs).toBeGreaterThanOrEqual(after.startMs - 1e-3);
      }),
    );
  });

  it("has an empty part after its end, where a longer recording continues", () => {
    const { startMs, stopMs } = placed.partIn({ startMs: placed.whole.stopMs + 1, stopMs: 1e9 });
    expect(startMs).toBe(stopMs);
    expect(startMs).toBeGreaterThan(recording.stopMs);
  });

  it("has each value of a channel at its place of measurement", () => {
    const content = placed.contentOf("heartRate");
    const { series } = recording.channels.heartRate ?? { series: null };
    expect(content?.pyramid.series.values).toBe(series?.values);
    const times = content?.pyramid.series.timesMs ?? new Float64Array();
    for (const [i, position] of times.entries()) expect(position).toBeGreaterThanOrEqual(times[i - 1] ?? 0);
  });
});

describe("ticks", () => {
  it("are round, few, and within the axis for values", () => {
    const range = fc.tuple(
      fc.double({ min: -1e4, max: 1e4, noNaN: true }),
      fc.double({ min: 1e-2, max: 1e4, noNaN: true }),
    );
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 12 }), ([lowest, length], count) => {
        const { values, decimals } = valueTicks([lowest, lowest + length], count);
        expect(values.length).toBeLessThanOrEqual(count + 1);
        expect(new Set(values.map((value) => value.toFixed(decimals))).size).toBe(values.length);
      }),
    );
    expect(valueTicks([0, 30], 6)).toEqual({ values: [0, 5, 10, 15, 20, 25, 30], decimals: 0 });
    expect(valueTicks([0, 0.4], 4).decimals).toBe(1);
    expect(valueTicks([5, 5], 4).values).toEqual([]);
  });

  it("are in metres or kilometres for a distance, and differ from each other", () => {
    const labels = (startMs: number, stopMs: number) =>
      axisTicks("distance", { startMs, stopMs }, 5, "utc").labels;
    expect(labels(0, 900_000)).toEqual(["0 m", "200 m", "400 m", "600 m", "800 m"]);
    expect(labels(0, 10e6)).toEqual(["0 km", "2 km", "4 km", "6 km", "8 km", "10 km"]);
    expect(labels(5_000_000, 5_100_000)).toEqual([
      "5.00 km",
      "5.02 km",
      "5.04 km",
      "5.06 km",
      "5.08 km",
      "5.10 km",
    ]);
  });
});
