import { describe, expect, it } from "vitest";
import { computeMetrics, type MetricSamples, type MetricsOptions } from "../../src/metrics/index.js";
import { columnsOf } from "./golden/sessions.js";

const SAMPLES = columnsOf([{ t: 0, speed: 0 }]);

describe("options of computeMetrics", () => {
  it.for<[string, unknown, RegExp]>([
    ["no object", null, /^options must be an object, not null/],
    ["an unknown preset", { preset: "chess" }, /^preset is "chess"; it must be one of biking, /],
    ["a name of every object as preset", { preset: "toString" }, /^preset is "toString"/],
    [
      "a text as parameter",
      { params: { max_hr: "190" } },
      /^params.max_hr is "190"; it must be from 60 to 240/,
    ],
    [
      "a list too short",
      { params: { hid_thresholds: [4] } },
      /^params.hid_thresholds is .* array of 2 numbers/,
    ],
    [
      "a value out of range",
      { params: { speed_ranges: [0, 101] } },
      /^params.speed_ranges is 101; .* 0 to 100/,
    ],
    ["NaN", { params: { sprint_threshold: Number.NaN } }, /^params.sprint_threshold is NaN/],
    [
      "limits that descend",
      { params: { speed_ranges: [0, 4, 2] } },
      /^params.speed_ranges: The values must be in ascending order/,
    ],
    ["a fraction of a millisecond", { from: 0.5 }, /^from is 0.5; it must be an integer of ms/],
    ["an invalid Date", { to: new Date(Number.NaN) }, /^to is an object/],
    ["an end before the start", { from: 2, to: 1 }, /^to is before from/],
    ["invalid periods", { periods: [{ startMs: 0 }] }, /^periods must be an array/],
    ["an invalid birth date", { birthDate: "2.6.1996" }, /^birthDate is "2.6.1996"; .* "1996-06-02"/],
  ])("refuses %s", ([, options, message]) => {
    const compute = () => computeMetrics(SAMPLES, options as MetricsOptions);
    expect(compute).toThrow(message);
    expect(compute).toThrow(expect.objectContaining({ name: "AsiError", code: "BAD_OPTION" }));
  });

  it("returns no maximum heart rate for a time outside the calendar", () => {
    for (const from of [8.64e15 + 1, -8.64e15 - 1]) {
      const { athlete_max_hr } = computeMetrics(SAMPLES, { from, to: from, birthDate: "1996-06-02" });
      expect(athlete_max_hr).toBeNull();
    }
  });

  it("accepts a Date as a time", () => {
    const options = { from: new Date(0), to: new Date(0) };
    expect(computeMetrics(SAMPLES, options)).toEqual(computeMetrics(SAMPLES));
  });
});

describe("samples of computeMetrics", () => {
  const { timestampMs, speedMmPerS, hr } = SAMPLES;
  it.for<[string, unknown, RegExp]>([
    ["null", null, /^The samples are null/],
    ["rows instead of columns", [{ timestamp: 0, speed: 1 }], /^length is undefined/],
    [
      "plain arrays",
      { length: 1, timestampMs: [0], speedMmPerS, hr },
      /^timestampMs is an array; .* Float64Array/,
    ],
    [
      "a short column",
      { length: 2, timestampMs, speedMmPerS, hr },
      /^timestampMs has 1 entries, but length is 2/,
    ],
    [
      "a time that is not an integer",
      { length: 1, timestampMs: Float64Array.of(0.5), speedMmPerS, hr },
      /^timestampMs\[0\] is 0.5/,
    ],
    [
      "more than 366 days",
      [SAMPLES, { length: 1, timestampMs: Float64Array.of(367 * 86_400_000), speedMmPerS, hr }],
      /^The samples cover 367 days, but metrics are computed for at most 366. Select a part with from and to/,
    ],
  ])("refuses %s", ([, samples, message]) => {
    const compute = () => computeMetrics(samples as MetricSamples);
    expect(compute).toThrow(message);
    expect(compute).toThrow(expect.objectContaining({ name: "AsiError", code: "BAD_ARGUMENT" }));
  });
});
