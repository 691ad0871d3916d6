import { expect, test } from "vitest";
import { computeMetrics } from "../src/metrics/index.js";
import { demoRows } from "../src/recording/demo.js";

const KICK_OFF_MS = Date.UTC(2025, 4, 17, 14, 30);
const MINUTE_MS = 60_000;

/** A match of 105 minutes with a break of 15 minutes. */
function match(seed: number) {
  const rows = [...demoRows({ seed, startMs: KICK_OFF_MS, durationMs: 105 * MINUTE_MS })];
  const samples = {
    length: rows.length,
    timestampMs: Float64Array.from(rows, ({ timestamp }) => timestamp),
    speedMmPerS: Int32Array.from(rows, ({ speed }) => Math.round((speed ?? 0) * 1000)),
    hr: Uint8Array.from(rows, ({ hr }) => hr ?? 0),
  };
  const rates = rows.flatMap(({ timestamp, hr }) => (hr == null ? [] : { minute: minuteOf(timestamp), hr }));
  return { metrics: computeMetrics(samples, { preset: "soccer" }), rates };
}

const minuteOf = (ms: number) => (ms - KICK_OFF_MS) / MINUTE_MS;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test.each([1, 2, 3])("player %i of the demo match has plausible figures for a football player", (seed) => {
  const { metrics } = match(seed);
  const { sprint, accelerations, decelerations, total_distance, max_speed, hr_avg, hr_max } = metrics;
  expect(total_distance).toBeGreaterThan(9_000);
  expect(total_distance).toBeLessThan(13_000);
  expect(max_speed).toBeGreaterThan(7.8);
  expect(max_speed).toBeLessThan(10);
  expect(sprint.threshold_1.values.length).toBeGreaterThanOrEqual(8);
  expect(sprint.threshold_1.values.length).toBeLessThanOrEqual(45);
  for (const { threshold_2 } of [accelerations, decelerations]) {
    expect(threshold_2.values.length).toBeGreaterThanOrEqual(15);
    expect(threshold_2.values.length).toBeLessThanOrEqual(150);
  }
  expect(hr_avg).toBeGreaterThan(145);
  expect(hr_avg).toBeLessThan(175);
  expect(hr_max).toBeGreaterThan(165);
  expect(hr_max).toBeLessThan(200);
});

test("their heart rate falls during the break and rises again afterwards", () => {
  const { rates } = match(1);
  const between = (from: number, to: number) =>
    mean(rates.filter(({ minute }) => minute >= from && minute < to).map(({ hr }) => hr));
  // the second half begins in minute 60
  expect(between(60, 60.1)).toBeLessThan(between(40, 45) - 30);
  expect(between(65, 70)).toBeGreaterThan(between(40, 45) - 15);
});
