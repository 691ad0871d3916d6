import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { TimeZone } from "./time-zone.js";

/** Formats of times. */
export const TIME_FORMATS = Object.freeze(["unix", "iso", "local", "excel"] as const);

export type TimeFormat = (typeof TIME_FORMATS)[number];

/** The format of times in rows. */
export interface TimeLayout {
  /**
   * `unix`: s since 1970 UTC with three decimals; the default for CSV. `iso`: `2025-05-17T14:30:00.050Z`; the default for JSON
   * lines. `local`: the time in `timeZone` with its offset, `2025-05-17T16:30:00.050+02:00`. `excel`, only for CSV: the local
   * time in `timeZone`, `2025-05-17 16:30:00.050` with the decimal mark, which spreadsheets recognize as a date and time.
   */
  time?: TimeFormat | undefined;
  /**
   * Time zone for `local` (required) and for `excel` (default UTC): a name in the tz database, such as `Europe/Zurich`. It does
   * not affect `unix` and `iso`, which are always in UTC.
   */
  timeZone?: string | undefined;
}

export interface CheckedTimes {
  time: TimeFormat;
  /** The time zone; null if none was given. */
  zone: TimeZone | null;
}

/** Checks the time format and the time zone. Throws `BAD_OPTION`. */
export function checkTimes({ time, timeZone }: TimeLayout, defaultTime: TimeFormat): CheckedTimes {
  if (time !== undefined && !TIME_FORMATS.includes(time)) {
    throw new AsiError("BAD_OPTION", `time is ${shown(time)}; it must be one of ${TIME_FORMATS.join(", ")}.`);
  }
  if (time === "local" && timeZone === undefined) {
    throw new AsiError(
      "BAD_OPTION",
      "time is local, but no timeZone is given; give one, such as Europe/Zurich.",
    );
  }
  return { time: time ?? defaultTime, zone: timeZone === undefined ? null : new TimeZone(timeZone) };
}
