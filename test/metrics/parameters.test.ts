import { describe, expect, it } from "vitest";
import { metricParameters, parameterProblems, SPORTS } from "../../src/metrics/index.js";
import { PRESETS, SOCCER_FIFA_BANDS_PARAMS, SOCCER_WOMEN_PARAMS } from "../../src/metrics/presets.js";

describe("the parameters of a computation", () => {
  it.each(SPORTS)("are the preset of %s if the time frame has none", (sport) => {
    expect(metricParameters(sport, {})).toEqual(PRESETS[sport]);
    expect(parameterProblems(sport, {})).toEqual([]);
  });

  it("are those of the time frame, completed by the preset, in a fixed order of keys", () => {
    const merged = metricParameters("biking", { sprint_threshold: 12, max_hr: 190 });
    expect(merged).toEqual({ ...PRESETS.biking, sprint_threshold: 12, max_hr: 190 });
    expect(JSON.stringify(merged)).toBe(
      JSON.stringify(metricParameters("biking", { max_hr: 190, sprint_threshold: 12 })),
    );
  });

  it("are rounded to the units that the computation compares: mm/s, mm/s2, ms and tenths of a beat", () => {
    const merged = metricParameters("soccer", {
      sprint_threshold: 6.94444,
      acceleration_thresholds: [2.00049, 2.0005],
      intensity_span: 33.33333,
      max_hr: 187.26,
    });
    expect(merged).toMatchObject({
      sprint_threshold: 6.944,
      acceleration_thresholds: [2, 2.001],
      intensity_span: 33.333,
      max_hr: 187.3,
    });
  });

  it("omit keys that the computation does not use", () => {
    const params = { team: "blue", sprint_threshold: 6 };
    expect(Object.keys(metricParameters("soccer", params))).toEqual(
      Object.keys(metricParameters("soccer", {})),
    );
  });

  it("match the documented presets of football", () => {
    for (const params of [SOCCER_WOMEN_PARAMS, SOCCER_FIFA_BANDS_PARAMS]) {
      expect(parameterProblems("soccer", params)).toEqual([]);
      expect(metricParameters("soccer", params)).toMatchObject(params);
    }
  });
});

describe("problems between parameters", () => {
  it.each([
    { params: { speed_ranges: [0, 4, 2] }, parameter: "speed_ranges" },
    { params: { speed_ranges: [1, 2] }, parameter: "speed_ranges" },
    { params: { speed_ranges: [0, 12.5] }, parameter: "speed_ranges" },
    { params: { max_valid_speed: 7 }, parameter: "max_valid_speed" },
    { params: { acceleration_thresholds: [3, 2] as const }, parameter: "acceleration_thresholds" },
    { params: { deceleration_thresholds: [2.0001, 2.0002] as const }, parameter: "deceleration_thresholds" },
    { params: { hid_thresholds: [5.5, 5.5] as const }, parameter: "hid_thresholds" },
  ])("$params is refused because of $parameter", ({ params, parameter }) => {
    expect(parameterProblems("soccer", params).map((problem) => problem.parameter)).toEqual([parameter]);
  });
});
