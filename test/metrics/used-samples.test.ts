import { describe, expect, it } from "vitest";
import { computeMetrics } from "../../src/metrics/index.js";
import { MAX_GAP_MS } from "../../src/metrics/segments.js";
import { compute, constant, countOf, every, NO_SPEED } from "./compute.js";
import { columnsOf } from "./golden/sessions.js";

describe("the used samples", () => {
  it("are those from start to end, both inclusive", () => {
    const samples = [99, 100, 200, 201].map((t) => ({ t, speed: 1000 }));
    const data = compute(samples, { frame: { from: 100, to: 200 } });
    expect([data.first_timestamp, data.last_timestamp]).toEqual([100, 200]);
  });

  it("are those of a period from its start, inclusive, to its end, exclusive, with periods in any order", () => {
    const periods = [
      { startMs: 500, endMs: 700 },
      { startMs: 100, endMs: 300 },
    ];
    const data = compute(every(100, constant(10, 1000)), { frame: { periods } });
    expect([data.first_timestamp, data.last_timestamp]).toEqual([100, 600]);
    expect(data.total_distance).toBe(0.2);
  });

  it("are not connected across the time between two periods, even if it is short; adjacent periods are connected", () => {
    const samples = every(100, constant(201, 8000)).map((sample) => ({ ...sample, hr: 150 }));
    const inPeriods = (...ends: [number, number][]) =>
      compute(samples, {
        frame: { periods: ends.map(([startMs, endMs]) => ({ startMs, endMs })) },
        params: { max_hr: 200 },
      });
    const data = inPeriods([0, 5000], [5900, 20_000]);
    expect(data.sprint.threshold_1.values.map(({ duration }) => duration)).toEqual([4.9, 14]);
    expect(data.total_distance).toBe(8 * (4.9 + 14));
    expect(inPeriods([0, 5000], [5000, 20_000])).toEqual(inPeriods([0, 20_000]));
    const jump = every(100, [...constant(50, 0), ...constant(5, 3000), ...constant(50, 6000)]);
    const periods = [
      { startMs: 0, endMs: 5000 },
      { startMs: 5500, endMs: 20_000 },
    ];
    expect(countOf(compute(jump, { frame: { periods } }))).toBe(0);
  });

  it("keep a heart rate at most until the end of its period", () => {
    const samples = every(1000, constant(21, 1000)).map((sample) => ({
      ...sample,
      hr: sample.t === 10_000 ? 180 : sample.t === 14_000 ? 120 : 0,
    }));
    const periods = [
      { startMs: 0, endMs: 11_500 },
      { startMs: 13_000, endMs: 17_500 },
    ];
    // 180 for 1 s, 120 for 3 s
    expect(compute(samples, { frame: { periods } }).hr_avg).toBe(135);
  });

  it("are used only once if periods overlap", () => {
    const periods = [
      { startMs: 0, endMs: 500 },
      { startMs: 300, endMs: 2000 },
    ];
    const data = compute(every(100, constant(10, 1000)), { frame: { periods } });
    expect([data.first_timestamp, data.last_timestamp, data.total_distance]).toEqual([0, 900, 0.9]);
  });

  it("exclude missing and impossible speeds, but include their heart rates", () => {
    const data = compute([
      { t: 0, speed: 12_501, hr: 90 },
      { t: 1000, speed: 12_500, hr: 100 },
      { t: 2000, speed: NO_SPEED, hr: 110 },
    ]);
    expect([data.first_timestamp, data.last_timestamp]).toEqual([0, 2000]);
    expect([data.max_speed, data.total_distance, data.average_speed]).toEqual([12.5, 0, null]);
    expect([data.hr_min, data.hr_max, data.hr_avg, data.hr_plot]).toEqual([90, 110, 95, 110]);
    expect(data.intensity.distance).toHaveLength(10);
  });

  it("can consist of heart rates without any speed", () => {
    const data = compute([{ t: 5000, speed: NO_SPEED, hr: 120 }]);
    expect([data.first_timestamp, data.hr_avg, data.total_distance]).toEqual([5000, 120, null]);
  });

  it("can be in any order, and in any number of batches", () => {
    const samples = every(100, [0, 1000, 3000, 2000, 5000, 4000, 4000]);
    const mixed = [4, 1, 6, 0].flatMap((i) => samples[i] ?? []);
    const others = [5, 3, 2].flatMap((i) => samples[i] ?? []);
    expect(computeMetrics([columnsOf(mixed), columnsOf(others)])).toEqual(computeMetrics(columnsOf(samples)));
  });

  it("are the first ones of several with the same time; a later heart rate fills in a missing one", () => {
    const samples = [
      { t: 1000, speed: 3000 },
      { t: 0, speed: 1000, hr: 100 },
      { t: 1000, speed: 9000, hr: 120 },
      { t: 0, speed: 8000, hr: 200 },
      { t: 1000, speed: 7000, hr: 130 },
    ];
    const data = compute(samples);
    expect([data.max_speed, data.total_distance, data.hr_min, data.hr_max]).toEqual([3, 2, 100, 120]);
  });

  it("are all samples without limits; the slices of intensity then begin with the first one", () => {
    const data = computeMetrics(
      columnsOf(every(1000, constant(121, 1000)).map((s) => ({ ...s, t: s.t + 500 }))),
    );
    expect(data.intensity).toEqual({ distance: [60, 60], start_time: 500, span: 60, end_time: 120_500 });
    expect(computeMetrics([]).intensity).toEqual({
      distance: [],
      start_time: null,
      span: 60,
      end_time: null,
    });
  });

  it("are the first `length` entries of a column", () => {
    const columns = columnsOf(every(1000, [1000, 1000, 9000]));
    expect(computeMetrics({ ...columns, length: 2 }).max_speed).toBe(1);
  });
});

describe("gaps", () => {
  it.each([
    { stepMs: 100, gapMs: 1000, counted: true },
    { stepMs: 100, gapMs: 1001, counted: false },
    { stepMs: 1000, gapMs: 5000, counted: true },
    { stepMs: 1000, gapMs: 5001, counted: false },
  ])(
    "count a pause of $gapMs ms as recorded time at a step of $stepMs ms: $counted",
    ({ stepMs, gapMs, counted }) => {
      const before = every(stepMs, constant(11, 3000));
      const after = before.map(({ t, speed }) => ({ t: t + 10 * stepMs + gapMs, speed }));
      const recordedMs = 20 * stepMs + (counted ? gapMs : 0);
      const data = compute([...before, ...after]);
      expect(data.total_distance).toBe(recordedMs * 0.003);
      expect(data.average_speed).toBe(3);
    },
  );

  it.each([
    { name: "10 Hz, then a row every 3 s", parts: [100, 3000] },
    { name: "a row every 4 s, then 10 Hz, then a row every 4 s", parts: [4000, 100, 4000] },
    { name: "1 Hz, then 25 Hz, then a row every 2 s", parts: [1000, 40, 2000] },
  ])("are determined separately for parts with different sampling rates: $name", ({ parts }) => {
    let startMs = 0;
    const rows = parts.map((stepMs) => {
      const part = every(stepMs, constant(40, 3000)).map(({ t, speed }) => ({ t: startMs + t, speed }));
      startMs += 40 * stepMs + 20_000;
      return part;
    });
    const frame = { to: startMs };
    const whole = compute(rows.flat(), { frame }).total_distance;
    const alone = rows.map((part) => compute(part, { frame }).total_distance ?? 0);
    expect(whole).toBeCloseTo(
      alone.reduce((sum, metres) => sum + metres, 0),
      6,
    );
    expect(whole).toBeCloseTo(0.003 * 39 * parts.reduce((sum, stepMs) => sum + stepMs, 0), 6);
  });

  it("include pauses between a few distant rows, which are not a part with a different rate", () => {
    const found = [10_000, 70_000, 150_000, 230_000, 300_000, 380_000].map((t) => ({ t, speed: 3000 }));
    const last = every(100, constant(50, 3000)).map(({ t, speed }) => ({ t: 450_000 + t, speed }));
    const samples = [...every(100, constant(50, 3000)), ...found, ...last];
    expect(compute(samples).total_distance).toBe(29.4);
  });

  it("include any pause of more than 5 minutes, at any rate", () => {
    const recorded = (stepMs: number) =>
      compute(every(stepMs, constant(4, 3000)), { frame: { to: 2_000_000 } }).average_speed;
    expect([recorded(MAX_GAP_MS), recorded(MAX_GAP_MS + 1)]).toEqual([3, null]);
  });
});

describe("the median step", () => {
  it.each([
    { gapMs: 7500, metres: 11.5 },
    { gapMs: 7501, metres: 4 },
  ])(
    "is 1.5 s for steps of 1 s, 1 s, 2 s and $gapMs ms, so $metres m are counted at 1 m/s",
    ({ gapMs, metres }) => {
      const instants = [0, 1000, 2000, 4000, 4000 + gapMs];
      expect(compute(instants.map((t) => ({ t, speed: 1000 }))).total_distance).toBe(metres);
    },
  );
});
