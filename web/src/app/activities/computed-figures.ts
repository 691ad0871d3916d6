import type { Metrics } from "asi-convert/metrics";
import { highIntensityMetres, highIntensityName, MAX_SPEED_HINT } from "../../parts/speed-labels.js";
import { recordedTimeMs } from "../../recording/recorded-time.js";
import { durationDifference } from "../../view/times.js";
import { decimal, type SpeedUnit, speedFactor, withSign } from "../../view/values.js";
import type { Computed } from "./computed.js";

/** One figure of a time frame, for comparison, charts and export. */
export interface ComparedFigure {
  key: string;
  name: string;
  /** Explanation of the figure, if its name is not enough. */
  hint?: string;
  /** Returns a longer name, for tables that compare data. */
  nameOf?(all: readonly Computed[], speedUnit: SpeedUnit): string;
  unit(speedUnit: SpeedUnit): string;
  /** Returns the value from the API, in SI units, or null if there is none. */
  value(computed: Computed): number | null;
  /** Returns a value or a difference of values as text in the unit of the reader. */
  text(value: number, speedUnit: SpeedUnit): string;
  /** The value as a number with its unit, for a table. By default, the value from the API in the unit of the page. */
  exported?: { value(value: number, speedUnit: SpeedUnit): number; unit(speedUnit: SpeedUnit): string };
}

type Lists = Metrics["accelerations"];
/** Returns the number of efforts, or null if there are no figures. */
const countOf = ({ has_accelerations }: Computed, { threshold_1, threshold_2 }: Lists) =>
  has_accelerations ? threshold_1.values.length + threshold_2.values.length : null;
const whole = (value: number) => decimal(value, 0);
const speed = (value: number, unit: SpeedUnit) => decimal(value * speedFactor(unit), 1);
const seconds = (value: number) => durationDifference(value * 1000);
const unitless = () => "";
const metres = () => "m";
const beats = () => "bpm";
const ofSpeed = (unit: SpeedUnit) => unit;
const exportedSpeed = {
  value: (value: number, unit: SpeedUnit) => value * speedFactor(unit),
  unit: ofSpeed,
};

/** The figures that are compared, in the order of the table. */
export const COMPARED_FIGURES: readonly ComparedFigure[] = [
  {
    key: "recorded",
    name: "Recorded",
    unit: unitless,
    value: (computed) => recordedTimeMs(computed) / 1000,
    text: seconds,
    exported: { value: (value) => value, unit: () => "s" },
  },
  {
    key: "distance",
    name: "Distance",
    unit: metres,
    value: ({ total_distance }) => total_distance,
    text: whole,
  },
  {
    key: "perMinute",
    name: "Per minute",
    unit: () => "m/min",
    value: ({ average_speed }) => (average_speed === null ? null : average_speed * 60),
    text: whole,
  },
  {
    key: "maxSpeed",
    name: "Max speed",
    hint: MAX_SPEED_HINT,
    unit: ofSpeed,
    value: ({ max_speed }) => max_speed,
    text: speed,
    exported: exportedSpeed,
  },
  {
    key: "meanSpeed",
    name: "Mean speed",
    unit: ofSpeed,
    value: ({ average_speed }) => average_speed,
    text: speed,
    exported: exportedSpeed,
  },
  {
    key: "sprints",
    name: "Sprints",
    unit: unitless,
    value: ({ sprint }) => sprint.threshold_1.values.length,
    text: whole,
  },
  {
    key: "sprintDistance",
    name: "Sprinted",
    unit: metres,
    value: ({ sprint_distance }) => sprint_distance,
    text: whole,
  },
  {
    key: "highIntensity",
    name: "High intensity",
    nameOf: highIntensityName,
    unit: metres,
    value: highIntensityMetres,
    text: whole,
  },
  {
    key: "accelerations",
    name: "Accel.",
    unit: unitless,
    value: (computed) => countOf(computed, computed.accelerations),
    text: whole,
  },
  {
    key: "decelerations",
    name: "Decel.",
    unit: unitless,
    value: (computed) => countOf(computed, computed.decelerations),
    text: whole,
  },
  {
    key: "meanHr",
    name: "Mean HR",
    unit: beats,
    value: ({ hr_avg }) => hr_avg,
    text: whole,
  },
  {
    key: "maxHr",
    name: "Max HR",
    unit: beats,
    value: ({ hr_max }) => hr_max,
    text: whole,
  },
];

/** Returns the name of a figure for these data. */
export const nameOfFigure = (figure: ComparedFigure, all: readonly Computed[], unit: SpeedUnit): string =>
  figure.nameOf?.(all, unit) ?? figure.name;

/** Returns a difference with its sign, or without a sign if it is shown as 0. */
export const differenceText = (figure: ComparedFigure, difference: number, unit: SpeedUnit): string =>
  withSign(figure.text(difference, unit));

/**
 * Returns whether counts and classes have the same definition in all time frames. Maximum heart rates may differ, because zones are shares
 * of the maximum.
 */
export function isComparable(all: readonly Computed[]): boolean {
  return new Set(all.map(rulesOf)).size <= 1;
}

function rulesOf({ definition: { version, parameters } }: Computed): string {
  return JSON.stringify([version, { ...parameters, max_hr: null }]);
}
