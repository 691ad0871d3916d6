import { shown } from "../arguments.js";
import type { Refuse } from "./element-reader.js";

// Values of a point as texts of XML Schema.

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):?(\d\d))?$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
// what devices write instead of leaving a value out
const NO_NUMBER = /^(?:|nan|[+-]?inf(?:inity)?)$/i;
const MS_PER_MINUTE = 60_000;

/** ms since 1970 UTC of an instant; one without a zone is UTC. */
export function instantOf(text: string, name: string, refuse: Refuse): number {
  const match = DATE_TIME.exec(text.trim());
  if (match === null) {
    return refuse(`${name} is ${shown(text)}; it must be an instant such as 2024-05-11T09:30:00.100Z.`);
  }
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHours, zoneMinutes] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!isDay || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) {
    return refuse(`${name} is ${shown(text)}; there is no such instant.`);
  }
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const ms = fraction === undefined ? 0 : Math.round(Number(`0.${fraction}`) * 1000);
  if (sign === undefined) return date.getTime() + ms;
  const ahead = (Number(zoneHours) * 60 + Number(zoneMinutes)) * MS_PER_MINUTE;
  return date.getTime() + ms - (sign === "+" ? ahead : -ahead);
}

/** A number times `scale`; NaN for none. */
export function numberOf(text: string, scale: number, name: string, refuse: Refuse): number {
  const trimmed = text.trim();
  if (DECIMAL.test(trimmed)) return Number(trimmed) * scale;
  if (NO_NUMBER.test(trimmed)) return Number.NaN;
  return refuse(`${name} is ${shown(text)}; it must be a decimal number.`);
}
