import type { Metrics } from "asi-convert/metrics";
import { highIntensityMetres, highIntensityName } from "../../parts/high-intensity.js";
import { MAX_SPEED_HINT } from "../../parts/max-speed.js";
import type { SpeedUnit } from "../../view/settings.js";
import { durationDifference } from "../../view/times.js";
import { decimal, speedFactor, withSign } from "../../view/values.js";
import { type Computed, recordedSeconds } from "./computed.js";

/** One figure of a time frame, as it is compared, drawn and exported. */
export interface ComparedFigure {
  key: string;
  name: string;
  /** What the figure is, where its name does not say enough. */
  hint?: string;
  /** A name that says more, where data are compared. */
  nameOf?(all: readonly Computed[], speedUnit: SpeedUnit): string;
  unit(speedUnit: SpeedUnit): string;
  /** Column of the export, with the unit in which the service gives the figure. */
  column: string;
  /** In the unit of `column`; null where there is none. */
  value(computed: Computed): number | null;
  /** A value or a difference of values in the unit of the reader. */
  text(value: number, speedUnit: SpeedUnit): string;
}

type Lists = Metrics["accelerations"];
const metresOf = (runs: readonly { distance: number }[]) =>
  runs.reduce((sum, { distance }) => sum + distance, 0);
const countOf = ({ threshold_1, threshold_2 }: Lists) =>
  threshold_1.values.length + threshold_2.values.length;
const whole = (value: number) => decimal(value, 0);
const speed = (value: number, unit: SpeedUnit) => decimal(value * speedFactor(unit), 1);
const seconds = (value: number) => durationDifference(value * 1000);
const unitless = () => "";
const metres = () => "m";
const beats = () => "bpm";
const ofSpeed = (unit: SpeedUnit) => unit;

/** The figures that are compared, in the order of the table. */
export const COMPARED_FIGURES: readonly ComparedFigure[] = [
  {
    key: "recorded",
    name: "Recorded",
    unit: unitless,
    column: "recorded_s",
    value: recordedSeconds,
    text: seconds,
  },
  {
    key: "distance",
    name: "Distance",
    unit: metres,
    column: "total_distance_m",
    value: ({ total_distance }) => total_distance,
    text: whole,
  },
  {
    key: "perMinute",
    name: "Per minute",
    unit: () => "m/min",
    column: "distance_per_minute_m",
    value: ({ average_speed }) => (average_speed === null ? null : average_speed * 60),
    text: whole,
  },
  {
    key: "maxSpeed",
    name: "Max speed",
    hint: MAX_SPEED_HINT,
    unit: ofSpeed,
    column: "max_speed_m_per_s",
    value: ({ max_speed }) => max_speed,
    text: speed,
  },
  {
    key: "meanSpeed",
    name: "Mean speed",
    unit: ofSpeed,
    column: "average_speed_m_per_s",
    value: ({ average_speed }) => average_speed,
    text: speed,
  },
  {
    key: "sprints",
    name: "Sprints",
    unit: unitless,
    column: "sprints",
    value: ({ sprint }) => sprint.threshold_1.values.length,
    text: whole,
  },
  {
    key: "sprintDistance",
    name: "Sprinted",
    unit: metres,
    column: "sprint_distance_m",
    value: ({ sprint }) => metresOf(sprint.threshold_1.values),
    text: whole,
  },
  {
    key: "highIntensity",
    name: "High intensity",
    nameOf: highIntensityName,
    unit: metres,
    column: "hid_threshold_2_m",
    value: highIntensityMetres,
    text: whole,
  },
  {
    key: "accelerations",
    name: "Accel.",
    unit: unitless,
    column: "accelerations",
    value: ({ accelerations }) => countOf(accelerations),
    text: whole,
  },
  {
    key: "decelerations",
    name: "Decel.",
    unit: unitless,
    column: "decelerations",
    value: ({ decelerations }) => countOf(decelerations),
    text: whole,
  },
  {
    key: "meanHr",
    name: "Mean HR",
    unit: beats,
    column: "hr_avg_bpm",
    value: ({ hr_avg }) => hr_avg,
    text: whole,
  },
  {
    key: "maxHr",
    name: "Max HR",
    unit: beats,
    column: "hr_max_bpm",
    value: ({ hr_max }) => hr_max,
    text: whole,
  },
];

/** The name of a figure of these data. */
export const nameOfFigure = (figure: ComparedFigure, all: readonly Computed[], unit: SpeedUnit): string =>
  figure.nameOf?.(all, unit) ?? figure.name;

/** A difference with its sign; none for one that is shown as 0. */
export const differenceText = (figure: ComparedFigure, difference: number, unit: SpeedUnit): string =>
  withSign(figure.text(difference, unit));

/**
 * Whether counts and classes of all of them mean the same. Maximum heart rates may differ: zones are shares of it.
 */
export function isComparable(all: readonly Computed[]): boolean {
  return new Set(all.map(rulesOf)).size <= 1;
}

function rulesOf({ definition: { version, parameters } }: Computed): string {
  return JSON.stringify([version, { ...parameters, max_hr: null }]);
}
