import { describe, expect, it } from "vitest";
import {
  computeMetrics,
  type Metrics,
  type MetricsOptions,
  metricParameters,
  type ParameterOverrides,
} from "../../src/metrics/index.js";
import { MAX_GAP_MS } from "../../src/metrics/segments.js";
import { columnsOf, type TestSample } from "./golden/sessions.js";

const NO_SPEED = -1;

function compute(
  samples: readonly TestSample[],
  { frame = {}, params = {} }: { frame?: MetricsOptions; params?: ParameterOverrides } = {},
): Metrics {
  return computeMetrics(columnsOf(samples), { preset: "soccer", from: 0, to: 600_000, params, ...frame });
}

/** Samples at a fixed step from instant 0, speeds in mm/s. */
const every = (stepMs: number, speeds: readonly number[]): TestSample[] =>
  speeds.map((speed, i) => ({ t: i * stepMs, speed }));

const countOf = (data: Metrics) => data.accelerations.threshold_2.values.length;

const constant = (count: number, speed: number) => Array.from({ length: count }, () => speed);

describe("a time frame without samples", () => {
  it("results in null numbers, empty lists and no shares, but contains thresholds, classes and definition", () => {
    const empty = { threshold_1: { threshold: 2, values: [] }, threshold_2: { threshold: 3, values: [] } };
    expect(compute([], { params: { speed_ranges: [0, 4] } })).toEqual({
      first_timestamp: null,
      last_timestamp: null,
      total_distance: null,
      max_speed: null,
      average_speed: null,
      accelerations: empty,
      decelerations: empty,
      sprint: { threshold_1: { threshold: 7, values: [] } },
      hid: { threshold_1: { threshold: 4, values: [] }, threshold_2: { threshold: 5.5, values: [] } },
      time_per_speed_ranges: [
        { duration: 0, ratio: 0, threshold_low: 0, threshold_high: 4 },
        { duration: 0, ratio: 0, threshold_low: 4, threshold_high: 12.5 },
      ],
      distance_per_speed_ranges: [
        { distance: 0, ratio: 0, threshold_low: 0, threshold_high: 4 },
        { distance: 0, ratio: 0, threshold_low: 4, threshold_high: 12.5 },
      ],
      intensity: { distance: [], start_time: 0, span: 60, end_time: 600_000 },
      hr_max: null,
      hr_min: null,
      hr_avg: null,
      hr_plot: null,
      athlete_max_hr: null,
      timePerHrZone: [],
      sprint_distance: 0,
      hid_distance: { threshold_1: 0, threshold_2: 0 },
      has_accelerations: false,
      too_fast: { samples: 0, duration: 0 },
      definition: { version: 4, parameters: metricParameters("soccer", { speed_ranges: [0, 4] }) },
    });
  });

  it("contains the athlete's maximum heart rate, with six empty zones", () => {
    const data = compute([], { params: { max_hr: 200 } });
    expect(data.athlete_max_hr).toBe(200);
    expect(data.timePerHrZone.map(({ percentage_hrmax }) => percentage_hrmax)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

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

describe("classes of speed", () => {
  it("counts an interval in the class that begins at its mean speed", () => {
    const data = compute(every(1000, [4000, 4000, 4000, 3998, 3998]));
    expect(data.time_per_speed_ranges.map(({ duration }) => duration)).toEqual([0, 2, 2, 0, 0]);
    expect(data.hid.threshold_1.values).toEqual([{ start_time: 0, duration: 2, max_value: 4, distance: 8 }]);
  });

  it("counts the highest valid speed in the last class", () => {
    const data = compute(every(1000, constant(3, 12_500)));
    expect(data.time_per_speed_ranges.at(-1)).toEqual({
      duration: 2,
      ratio: 1,
      threshold_low: 7,
      threshold_high: 12.5,
    });
  });

  it("counts standing as time in the lowest class, without distance, for any limits", () => {
    const data = compute(every(1000, [199, 199, 200, 200, 200]), { params: { speed_ranges: [0, 0.1] } });
    expect(data.time_per_speed_ranges.map(({ duration }) => duration)).toEqual([2, 2]);
    expect(data.total_distance).toBe(0.4);
    expect(data.average_speed).toBe(0.1);
  });
});

describe("sprints", () => {
  const sprintsOf = (speeds: readonly number[]) =>
    compute(every(100, speeds)).sprint.threshold_1.values.map(({ duration }) => duration);

  it("last at least 1.0 s", () => {
    expect(sprintsOf([...constant(10, 7000), ...constant(20, 0)])).toEqual([]);
    expect(sprintsOf([...constant(11, 7000), ...constant(20, 0)])).toEqual([1]);
  });

  it("are one sprint across a dip of less than 0.5 s, and two across a dip of 0.5 s", () => {
    const dip = (samples: number) => [
      ...constant(21, 8000),
      ...constant(samples, 5000),
      ...constant(21, 8000),
    ];
    expect(sprintsOf(dip(3))).toEqual([4.4]);
    expect(sprintsOf(dip(4))).toEqual([2, 2]);
  });
});

describe("accelerations", () => {
  // From rest to 6 m/s at 3 m/s2, then at constant speed.
  const start = (stepMs: number) =>
    every(
      stepMs,
      Array.from({ length: 12_000 / stepMs }, (_, k) => Math.min(6000, Math.max(0, (k * stepMs - 5000) * 3))),
    );

  it("are found at 5 Hz and above", () => {
    expect(countOf(compute(start(200)))).toBe(1);
    expect(countOf(compute(start(250)))).toBe(0);
  });

  it("end when an acceleration exceeds 9 m/s2", () => {
    const jump = [...constant(30, 0), ...constant(30, 8000)];
    expect(compute(every(100, jump)).accelerations).toEqual({
      threshold_1: { threshold: 2, values: [] },
      threshold_2: { threshold: 3, values: [] },
    });
  });

  it.each([1000, 500, 250])(
    "are those of the fast part only if a recording has a part with a row every %i ms",
    (stepMs) => {
      const fast = [
        ...start(100),
        ...every(100, constant(300, 6000)).map(({ t, speed }) => ({ t: t + 12_000, speed })),
      ];
      const slow = Array.from({ length: 60 }, (_, k) => ({
        t: 42_000 + k * stepMs,
        // up and down at 2.5 m/s2
        speed: 2.5 * stepMs * Math.min(k % 8, 8 - (k % 8)),
      }));
      const { accelerations, decelerations, has_accelerations } = compute([...fast, ...slow]);
      expect(has_accelerations).toBe(true);
      expect({ accelerations, decelerations }).toEqual({
        accelerations: compute(fast).accelerations,
        decelerations: compute(fast).decelerations,
      });
    },
  );

  it("are found at 5 Hz with clock jitter", () => {
    const rows = start(200).map(({ t, speed }, i) => ({ t: t + ((i * 7) % 11) - 5, speed }));
    expect(
      countOf(
        compute([
          ...rows,
          ...every(100, constant(100, 6000)).map(({ t, speed }) => ({ t: t + 12_000, speed })),
        ]),
      ),
    ).toBe(1);
  });

  it("are not searched for between samples more than 1 s apart, in a part of a fast recording with longer steps", () => {
    const partAt = (stepMs: number) =>
      every(
        stepMs,
        Array.from({ length: 40 }, (_, k) => (k % 4 < 2 ? 0 : 6000)),
      ).map(({ t, speed }) => ({ t: 30_000 + t, speed }));
    const withPart = (stepMs: number) => [...every(100, constant(300, 3000)), ...partAt(stepMs)];
    const slow = compute(withPart(2000));
    expect(slow.has_accelerations).toBe(true);
    expect(countOf(slow)).toBe(0);
    expect(slow.decelerations.threshold_2.values).toEqual([]);
    expect(slow.total_distance).toBeGreaterThan(compute(every(100, constant(300, 3000))).total_distance ?? 0);
    expect(
      countOf(compute([...withPart(2000), ...start(100).map(({ t, speed }) => ({ t: 200_000 + t, speed }))])),
    ).toBe(1);
  });

  it("are not searched for in a segment shorter than 1.0 s", () => {
    const ramp = (count: number) =>
      every(
        100,
        Array.from({ length: count }, (_, k) => k * 350),
      );
    expect(countOf(compute(ramp(10)))).toBe(0);
    expect(countOf(compute(ramp(11)))).toBe(1);
  });
});

describe("intensity", () => {
  it("divides an interval between two slices in proportion to time; the last slice may be shorter", () => {
    const samples = [9_000, 10_000, 11_000, 12_000].map((t) => ({ t, speed: 4000 }));
    const data = compute(samples, {
      frame: { from: 500, to: 22_500 },
      params: { intensity_span: 10 },
    });
    expect(data.intensity).toEqual({ distance: [6, 6, 0], start_time: 500, span: 10, end_time: 22_500 });
  });
});

describe("heart rate", () => {
  it("is valid until the next heart rate, for at most 5 s, and at most until the last sample", () => {
    const data = compute([
      { t: 0, speed: 0, hr: 100 },
      { t: 1000, speed: 0 },
      { t: 2000, speed: 0, hr: 130 },
      { t: 9000, speed: 0, hr: 160 },
      { t: 12_000, speed: 0 },
    ]);
    // 100 for 2 s, 130 for 5 s, 160 for 3 s.
    expect(data.hr_avg).toBe(133);
  });

  it("is valid from 30 to 240", () => {
    const data = compute([29, 30, 240, 241].map((hr, i) => ({ t: i * 1000, speed: 0, hr })));
    expect([data.hr_min, data.hr_max, data.hr_plot]).toEqual([30, 240, 240]);
  });

  it("counts in a zone at its lower limit, and in the last zone above the maximum", () => {
    const beats = [99, 100, 119, 120, 200, 220].map((hr, i) => ({ t: i * 1000, speed: 0, hr }));
    const data = compute([...beats, { t: 10_000, speed: 0 }], { params: { max_hr: 200 } });
    expect(data.timePerHrZone).toEqual([
      { percentage_hrmax: 10, range_bpm: [0, 100], range_percent_hrmax: [0, 50] },
      { percentage_hrmax: 20, range_bpm: [100, 120], range_percent_hrmax: [50, 60] },
      { percentage_hrmax: 10, range_bpm: [120, 140], range_percent_hrmax: [60, 70] },
      { percentage_hrmax: 0, range_bpm: [140, 160], range_percent_hrmax: [70, 80] },
      { percentage_hrmax: 0, range_bpm: [160, 180], range_percent_hrmax: [80, 90] },
      { percentage_hrmax: 60, range_bpm: [180, 200], range_percent_hrmax: [90, 100] },
    ]);
  });

  it.each([
    { birthDate: "1996-06-02", start: "2024-06-01T23:59:59.999Z", expected: 189 }, // 27 years: 189.1
    { birthDate: "1996-06-02", start: "2024-06-02T00:00:00.000Z", expected: 188 }, // 28 years: 188.4
    { birthDate: "1999-01-01", start: "2024-06-02T00:00:00.000Z", expected: 191 }, // 25 years: 190.5
    { birthDate: "2025-01-01", start: "2024-06-02T00:00:00.000Z", expected: null },
  ])("is at most $expected at $start for an athlete born $birthDate", ({ birthDate, start, expected }) => {
    const from = Date.parse(start);
    const frame = { from, to: from + 1, birthDate };
    expect(compute([], { frame }).athlete_max_hr).toBe(expected);
    expect(compute([], { frame, params: { max_hr: 187.3 } }).athlete_max_hr).toBe(187.3);
  });
});

describe("exactness", () => {
  it("holds for the longest period at the highest speed: 366 days at 100 m/s", () => {
    const yearMs = 366 * 86_400_000;
    const stepMs = MAX_GAP_MS;
    const samples = every(stepMs, constant(yearMs / stepMs + 1, 100_000));
    const params = { max_valid_speed: 100, intensity_span: 3600 };
    const data = compute(samples, { frame: { to: yearMs }, params });
    expect([data.total_distance, data.average_speed]).toEqual([366 * 86_400 * 100, 100]);
    expect(new Set(data.intensity.distance)).toEqual(new Set([360_000]));
  });

  it("is rounded half up: 0.0005 m is 0.001 m", () => {
    const params = { standstill_speed: 0 };
    expect(
      compute(
        [
          { t: 0, speed: 5 },
          { t: 100, speed: 5 },
        ],
        { params },
      ).total_distance,
    ).toBe(0.001);
    expect(
      compute(
        [
          { t: 0, speed: 5 },
          { t: 100, speed: 4 },
        ],
        { params },
      ).total_distance,
    ).toBe(0);
  });
});

describe("a speed that is too high for the sport", () => {
  it("is counted, together with its duration", () => {
    const samples = every(100, [...constant(10, 5000), ...constant(20, 15_000), ...constant(10, 5000)]);
    const { too_fast, max_speed } = compute(samples);
    expect(too_fast).toEqual({ samples: 20, duration: 2.1 });
    expect(max_speed).toBe(5);
  });

  it("is not counted in a sport that allows it", () => {
    const samples = every(100, constant(20, 15_000));
    expect(compute(samples, { frame: { preset: "biking" } }).too_fast).toEqual({ samples: 0, duration: 0 });
  });

  it("is excluded from all figures, even if some rows in it are not too fast", () => {
    const drive = Array.from({ length: 40 }, (_, i) => (i % 40 === 0 ? 10_000 : 20_000));
    const speeds = [...constant(300, 3000), ...Array.from({ length: 10 }, () => drive).flat()];
    const samples = every(1000, speeds);
    const { total_distance, too_fast } = compute(samples, { frame: { to: samples.length * 1000 } });
    // 299 s at 3 m/s, and the second before the first row of the drive
    expect(total_distance).toBe(299 * 3 + 6.5);
    expect(too_fast.samples).toBe(390);
  });
});

describe("high-intensity distance", () => {
  it("is summed before it is rounded", () => {
    // six runs of 0.4004 m: rounded one by one they are 2.400 m
    const run = (i: number) =>
      [...constant(2, 4004), ...constant(2, 0)].map((speed, j) => ({ t: i * 3000 + j * 100, speed }));
    const samples = Array.from({ length: 6 }, (_, i) => run(i)).flat();
    expect(compute(samples).hid_distance.threshold_1).toBe(2.402);
  });
});

describe("accelerations", () => {
  it("are reported as unknown below 5 samples per second", () => {
    expect(compute(every(1000, constant(20, 3000))).has_accelerations).toBe(false);
    expect(compute(every(200, constant(20, 3000))).has_accelerations).toBe(true);
  });
});
