import { shown } from "../arguments.js";
import type { Fail } from "./element-handler.js";

// Parses the values of a point, which have XML Schema types.

/** The factors that convert degrees, metres, metres per second and beats per minute to the units of `TrackPoint`. */
export const VALUE_SCALES = { latitude: 1e7, longitude: 1e7, altitude: 1e3, speed: 1e3, hr: 1 } as const;

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):?(\d\d))?$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
// texts that devices write for missing values
const NO_NUMBER = /^(?:|nan|[+-]?inf(?:inity)?)$/i;
const MS_PER_MINUTE = 60_000;

/** Converts a date and time to ms since 1970 UTC; without a zone it is UTC. */
export function instantOf(text: string, name: string, fail: Fail): number {
  const match = DATE_TIME.exec(text.trim());
  if (match === null) {
    return fail(`${name} is ${shown(text)}; it must be a date and time such as 2024-05-11T09:30:00.100Z.`);
  }
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHours, zoneMinutes] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!isDay || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) {
    return fail(`${name} is ${shown(text)}; this date or time does not exist.`);
  }
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const ms = fraction === undefined ? 0 : Math.round(Number(`0.${fraction}`) * 1000);
  if (sign === undefined) return date.getTime() + ms;
  const ahead = (Number(zoneHours) * 60 + Number(zoneMinutes)) * MS_PER_MINUTE;
  return date.getTime() + ms - (sign === "+" ? ahead : -ahead);
}

/** Parses a number and multiplies it by `scale`; NaN if there is no value. */
export function numberOf(text: string, scale: number, name: string, fail: Fail): number {
  const trimmed = text.trim();
  if (DECIMAL.test(trimmed)) return Number(trimmed) * scale;
  if (NO_NUMBER.test(trimmed)) return Number.NaN;
  return fail(`${name} is ${shown(text)}; it must be a decimal number.`);
}
