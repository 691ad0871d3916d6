import { requireKnown, requireObject, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { type MetricParameters, PRESETS, type PresetName, type ThresholdPair } from "./presets.js";

/** The parameters that a caller may set, as in `params` of a time frame. */
export type ParameterOverrides = {
  readonly [K in keyof MetricParameters]?: NonNullable<MetricParameters[K]>;
};

/** Selects the parameters from the members of an object, because `params` of a time frame may contain other members. */
export function parametersIn(params: object): ParameterOverrides {
  return Object.fromEntries(Object.entries(params).filter(([name]) => Object.hasOwn(PARAMETER_LIMITS, name)));
}

/** A violated rule between parameters. */
export interface ParameterProblem {
  readonly parameter: keyof MetricParameters;
  /** The problem and the remedy, for the caller. */
  readonly message: string;
}

/** Limits of each parameter, or of each value in a list, in m/s, m/s2, s and beats per minute. */
export const PARAMETER_LIMITS = {
  max_hr: { minimum: 60, maximum: 240 },
  // No runner or cyclist exceeds 100 m/s. With this limit, the computed sums are exact.
  speed_ranges: { minimum: 0, maximum: 100 },
  // Thresholds at or near zero are not useful. Peaks above 9 m/s2 count as artefacts.
  acceleration_thresholds: { minimum: 0.1, maximum: 9 },
  deceleration_thresholds: { minimum: 0.1, maximum: 9 },
  sprint_threshold: { minimum: 0.1, maximum: 100 },
  hid_thresholds: { minimum: 0.1, maximum: 100 },
  intensity_span: { minimum: 10, maximum: 3600 },
  standstill_speed: { minimum: 0, maximum: 2 },
  max_valid_speed: { minimum: 1, maximum: 100 },
} as const satisfies Record<keyof MetricParameters, { minimum: number; maximum: number }>;

/** Permitted lengths of parameters that are lists. */
export const PARAMETER_SIZES = {
  speed_ranges: { minimum: 2, maximum: 10 },
  acceleration_thresholds: { minimum: 2, maximum: 2 },
  deceleration_thresholds: { minimum: 2, maximum: 2 },
  hid_thresholds: { minimum: 2, maximum: 2 },
} as const;

/**
 * Validates parameters from a caller.
 *
 * @throws AsiError `BAD_OPTION`
 */
export function checkOverrides(preset: PresetName, overrides: ParameterOverrides): void {
  requireObject("params", overrides);
  requireKnown("parameter", overrides, Object.keys(PARAMETER_LIMITS));
  for (const [name, { minimum, maximum }] of Object.entries(PARAMETER_LIMITS)) {
    const value: unknown = overrides[name as keyof MetricParameters];
    if (value === undefined) continue;
    const sizes = Object.hasOwn(PARAMETER_SIZES, name)
      ? PARAMETER_SIZES[name as keyof typeof PARAMETER_SIZES]
      : null;
    if (sizes !== null && !(Array.isArray(value) && isBetween(value.length, sizes))) {
      const size =
        sizes.minimum === sizes.maximum ? `${sizes.minimum}` : `${sizes.minimum} to ${sizes.maximum}`;
      throw bad(name, value, `an array of ${size} numbers`);
    }
    for (const number of sizes === null ? [value] : (value as unknown[])) {
      if (!isBetween(number, { minimum, maximum })) throw bad(name, number, `from ${minimum} to ${maximum}`);
    }
  }
  const [problem] = parameterProblems(preset, overrides);
  if (problem !== undefined)
    throw new AsiError("BAD_OPTION", `params.${problem.parameter}: ${problem.message}`);
}

function isBetween(value: unknown, { minimum, maximum }: { minimum: number; maximum: number }): boolean {
  return typeof value === "number" && value >= minimum && value <= maximum;
}

function bad(name: string, value: unknown, what: string): AsiError {
  return new AsiError("BAD_OPTION", `params.${name} is ${shown(value)}; it must be ${what}.`);
}

/**
 * Merges a preset with the parameters from a caller. Speeds, accelerations and the span are rounded to 0.001, and the heart rate
 * to 0.1, so that the computation compares only integers.
 *
 * @param overrides parameters within {@link PARAMETER_LIMITS} and without {@link parameterProblems}
 */
export function metricParameters(preset: PresetName, overrides: ParameterOverrides = {}): MetricParameters {
  const defaults = PRESETS[preset];
  return {
    max_hr: overrides.max_hr === undefined ? defaults.max_hr : roundTo(overrides.max_hr, 10),
    speed_ranges: (overrides.speed_ranges ?? defaults.speed_ranges).map(thousandths),
    acceleration_thresholds: pair(overrides.acceleration_thresholds ?? defaults.acceleration_thresholds),
    deceleration_thresholds: pair(overrides.deceleration_thresholds ?? defaults.deceleration_thresholds),
    sprint_threshold: thousandths(overrides.sprint_threshold ?? defaults.sprint_threshold),
    hid_thresholds: pair(overrides.hid_thresholds ?? defaults.hid_thresholds),
    intensity_span: thousandths(overrides.intensity_span ?? defaults.intensity_span),
    standstill_speed: thousandths(overrides.standstill_speed ?? defaults.standstill_speed),
    max_valid_speed: thousandths(overrides.max_valid_speed ?? defaults.max_valid_speed),
  };
}

/**
 * Checks the rules between parameters: limits and thresholds are in ascending order (after rounding to 0.001), and the speed
 * classes start at 0 and end below `max_valid_speed`.
 *
 * @returns one entry for each violated rule; empty if the parameters are valid
 */
export function parameterProblems(preset: PresetName, overrides: ParameterOverrides): ParameterProblem[] {
  const effective = metricParameters(preset, overrides);
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
        message: "The values must be in ascending order, each at least 0.001 above the previous one.",
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

/** Converts a parameter in m/s, m/s2 or s to an integer in mm/s, mm/s2 or ms. */
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
