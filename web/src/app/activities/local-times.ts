import type { Zone } from "../../view/settings.js";
import { dateText } from "../recordings/weeks.js";

const two = (value: number) => String(value).padStart(2, "0");

/** An instant as fields of a form have it, as in 2024-05-18T15:00:00, with a fraction only where there is one. */
export function instantText(ms: number, zone: Zone): string {
  const date = new Date(ms);
  const rest = date.getUTCMilliseconds();
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`;
  const time =
    zone === "utc"
      ? date.toISOString().slice(11, 19)
      : [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${dateText(ms, zone)}T${time}${fraction}`;
}

/** The instant of a field with a day, or with a day and a time; null for one that is not filled in. */
export function instantOf(text: string, zone: Zone): number | null {
  // without an offset a date-time is local, but a date alone is UTC
  const full = text.includes("T") ? text : `${text}T00:00:00`;
  const ms = Date.parse(zone === "utc" ? `${full}Z` : full);
  return Number.isNaN(ms) ? null : ms;
}
