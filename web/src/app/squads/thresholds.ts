import type { Resource } from "asi-client";
import { NO_VALUE, type SpeedUnit, speedFactor } from "../../view/values.js";
import type { Values } from "../parts/form.js";

export type Member = Resource["Member"];
type Params = Member["params"];

/** Converts a speed to the unit of the settings without rounding errors. */
const inUnit = (mPerS: number, unit: SpeedUnit) => Number((mPerS * speedFactor(unit)).toFixed(2));

const ofUnit = (text: string, unit: SpeedUnit) => Number((Number(text) / speedFactor(unit)).toFixed(4));

/** Thresholds by the field names of the API. */
export const HIGH_SPEED = "params.hid_thresholds";
export const SPRINT = "params.sprint_threshold";
export const MAX_HR = "params.max_hr";

/** Returns the field values of a member. A value is null if the threshold of the sport applies. */
export const thresholdsOf = ({ hid_thresholds, sprint_threshold, max_hr }: Params, unit: SpeedUnit) => ({
  highSpeed: hid_thresholds?.[1] === undefined ? null : inUnit(hid_thresholds[1], unit),
  sprint: sprint_threshold === undefined ? null : inUnit(sprint_threshold, unit),
  maxHr: max_hr ?? null,
});

export const shownValue = (value: number | null): string => (value === null ? NO_VALUE : String(value));

/** Returns the present thresholds with the changed ones of a form. An empty field removes its threshold. */
export function thresholdsIn(
  values: Values,
  changed: ReadonlySet<string>,
  unit: SpeedUnit,
  present: Params,
): Params {
  const entered: Params = {};
  const [highSpeed, sprint, maxHr] = [HIGH_SPEED, SPRINT, MAX_HR].map((name) => values(name).trim());
  const high = highSpeed ? ofUnit(highSpeed, unit) : null;
  // `asi squad` derives the first speed from the second in the same way
  if (high !== null) entered.hid_thresholds = [Math.min(4, high * 0.9), high];
  if (sprint) entered.sprint_threshold = ofUnit(sprint, unit);
  if (maxHr) entered.max_hr = Number(maxHr);
  const chosen = (name: keyof Params) => (changed.has(`params.${name}`) ? entered : present)[name];
  return Object.fromEntries(
    (["hid_thresholds", "sprint_threshold", "max_hr"] as const).flatMap((name) => {
      const value = chosen(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
