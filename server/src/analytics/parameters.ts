import { type AnalysisParameters, PRESETS, type Sport, type ThresholdPair } from "./presets.js";

/** `params` of a time frame, valid against its JSON schema. The computation ignores keys that it does not know. */
export type ParameterOverrides = {
  readonly [K in keyof AnalysisParameters]?: NonNullable<AnalysisParameters[K]>;
};

/** A violated rule between parameters. */
export interface ParameterProblem {
  readonly parameter: keyof AnalysisParameters;
  /** What is wrong and what to do, for the caller. */
  readonly message: string;
}

/**
 * Merges the preset of a sport with the `params` of a time frame. Speeds, accelerations and the span are rounded to
 * 0.001 and the heart rate to 0.1, so that the computation compares integers only.
 *
 * @param overrides valid against the JSON schema and without {@link parameterProblems}
 */
export function effectiveParameters(sport: Sport, overrides: ParameterOverrides): AnalysisParameters {
  const preset = PRESETS[sport];
  return {
    max_hr: overrides.max_hr === undefined ? preset.max_hr : roundTo(overrides.max_hr, 10),
    speed_ranges: (overrides.speed_ranges ?? preset.speed_ranges).map(thousandths),
    acceleration_thresholds: pair(overrides.acceleration_thresholds ?? preset.acceleration_thresholds),
    deceleration_thresholds: pair(overrides.deceleration_thresholds ?? preset.deceleration_thresholds),
    sprint_threshold: thousandths(overrides.sprint_threshold ?? preset.sprint_threshold),
    hid_thresholds: pair(overrides.hid_thresholds ?? preset.hid_thresholds),
    intensity_span: thousandths(overrides.intensity_span ?? preset.intensity_span),
    standstill_speed: thousandths(overrides.standstill_speed ?? preset.standstill_speed),
    max_valid_speed: thousandths(overrides.max_valid_speed ?? preset.max_valid_speed),
  };
}

/**
 * Checks the rules between parameters that a JSON schema cannot express: limits and thresholds ascend (after rounding to
 * 0.001), and the speed classes start at 0 and end below `max_valid_speed`.
 *
 * @returns one entry for each violated rule; empty when the parameters are valid
 */
export function parameterProblems(sport: Sport, overrides: ParameterOverrides): ParameterProblem[] {
  const effective = effectiveParameters(sport, overrides);
  const problems: ParameterProblem[] = [];
  for (const parameter of [
    "speed_ranges",
    "acceleration_thresholds",
    "deceleration_thresholds",
    "hid_thresholds",
  ] as const) {
    if (!isAscending(effective[parameter])) {
      problems.push({
        parameter,
        message: "The values must ascend, each at least 0.001 above the previous one.",
      });
    }
  }
  if (effective.speed_ranges[0] !== 0) {
    problems.push({ parameter: "speed_ranges", message: "The first lower limit must be 0." });
  }
  const highest = Math.max(...effective.speed_ranges);
  if (highest >= effective.max_valid_speed) {
    problems.push({
      parameter: overrides.speed_ranges === undefined ? "max_valid_speed" : "speed_ranges",
      message: `Every limit of speed_ranges (highest: ${highest}) must be below max_valid_speed (${effective.max_valid_speed}).`,
    });
  }
  return problems;
}

/** A parameter in m/s, m/s2 or s as an integer of mm/s, mm/s2 or ms. */
export function inThousandths(parameter: number): number {
  return Math.round(parameter * 1000);
}

function thousandths(value: number): number {
  return roundTo(value, 1000);
}

function roundTo(value: number, unitsPerOne: number): number {
  return Math.round(value * unitsPerOne) / unitsPerOne;
}

function pair([low, high]: ThresholdPair): ThresholdPair {
  return [thousandths(low), thousandths(high)];
}

function isAscending(values: readonly number[]): boolean {
  return values.every((value, i) => i === 0 || value > (values[i - 1] ?? value));
}
