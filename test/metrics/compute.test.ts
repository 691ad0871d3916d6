import { describe, expect, it } from "vitest";
import { metricParameters } from "../../src/metrics/index.js";
import { MAX_GAP_MS } from "../../src/metrics/segments.js";
import { compute, constant, countOf, every } from "./compute.js";

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
      definition: { version: 5, parameters: metricParameters("soccer", { speed_ranges: [0, 4] }) },
    });
  });

  it("contains the athlete's maximum heart rate, with six empty zones", () => {
    const data = compute([], { params: { max_hr: 200 } });
    expect(data.athlete_max_hr).toBe(200);
    expect(data.timePerHrZone.map(({ percentage_hrmax }) => percentage_hrmax)).toEqual([0, 0, 0, 0, 0, 0]);
  });
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
      // the rest has fewer than 5 samples per second
      expect(has_accelerations).toBe(false);
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
    expect(slow.has_accelerations).toBe(false);
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
  it("is kept for the longest period at the highest speed: 366 days at 100 m/s", () => {
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
