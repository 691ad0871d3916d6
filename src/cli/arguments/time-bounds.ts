import { InvalidArgumentError } from "commander";
import { AsiError } from "../../errors.js";
import { parseIsoTime } from "../../rows/iso-time.js";
import { TimeZone } from "../../rows/time-zone.js";

// The times of --from and --to.

const DAY_MS = 86_400_000;
/** A time of day that is earlier than the first row by more than this is on the next day. */
export const MAX_BEFORE_MS = DAY_MS / 2;

/** Maximum time between a bound before midnight and one after it. If it is longer, one of the bounds is wrong. */
const MAX_OVER_MIDNIGHT_MS = DAY_MS / 2;

/** The value of --from or --to. */
export type TimeBound =
  | { kind: "instant"; ms: number }
  /** A date and time without an offset: local time in ms since 1970. */
  | { kind: "local"; localMs: number }
  /** A time of day: ms since midnight. */
  | { kind: "clock"; text: string; sinceMidnightMs: number };

/** Bounds in a form that can be sent to worker threads. */
export interface TimeBounds {
  from?: TimeBound | undefined;
  to?: TimeBound | undefined;
  /** Default: UTC. */
  timeZone?: string | undefined;
}

/**
 * Parses an instant: RFC 3339 date and time (a space may replace the T, and the offset may be omitted), a date, a time of day, the compact
 * form in file names, which may be only a date, or seconds since 1970 as in the CSV.
 *
 * @param dateMeans whether a date without a time means the start or the end of the day
 */
export function parseTimeBound(text: string, dateMeans: "start" | "end"): TimeBound {
  // eight digits of a date are no time in 1970 to 1973
  const date = dateAndTimeOf(text.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3"), dateMeans);
  if (date === null && /^-?\d+(\.\d+)?$/.test(text))
    return { kind: "instant", ms: millisecondsOfSeconds(text) };
  const bound = clockOf(text) ?? date;
  if (bound === null) {
    throw new InvalidArgumentError(
      'Give a date and time such as 2025-05-17T14:30:00Z or "2025-05-17 14:30", a date, a time such as 14:30, or seconds since 1970.',
    );
  }
  return bound;
}

/**
 * Parses an instant like `parseTimeBound`, but requires a date, and reads times as UTC.
 * @returns ms since 1970 UTC
 */
export function parseInstant(text: string): number {
  const bound = parseTimeBound(text, "start");
  if (bound.kind === "clock") throw new InvalidArgumentError("Add the date, as in 2025-05-17T14:30:00Z.");
  return bound.kind === "instant" ? bound.ms : bound.localMs;
}

function clockOf(text: string): TimeBound | null {
  const [, hour, minute, second = 0, fraction = ""] =
    /^(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?$/.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return { kind: "clock", text, sinceMidnightMs: (seconds + Number(`0.${fraction}`)) * 1000 };
}

function dateAndTimeOf(text: string, dateMeans: "start" | "end"): TimeBound | null {
  const time = parseIsoTime(text);
  if (time === null) return null;
  const localMs = time.localMs + time.fractionMs;
  if (time.form === "date" && dateMeans === "end") return { kind: "local", localMs: localMs + DAY_MS - 1 };
  if (time.offsetMs === undefined) return { kind: "local", localMs };
  return { kind: "instant", ms: localMs - time.offsetMs };
}

// Parses digit by digit, because 0.001 s times 1000 is not always a whole number.
function millisecondsOfSeconds(text: string): number {
  const [whole = "", fraction = ""] = text.split(".");
  const milliseconds = `${whole}${fraction.slice(0, 3).padEnd(3, "0")}`;
  return Number(fraction.length > 3 ? `${milliseconds}.${fraction.slice(3)}` : milliseconds);
}

/** Returns whether a bound depends on the day of the recording. */
export function dependOnDay({ from, to }: TimeBounds): boolean {
  return from?.kind === "clock" || to?.kind === "clock";
}

/**
 * Resolves bounds to ms since 1970 UTC.
 *
 * A time of day is on the day of the first row, in the zone. It is on the next day if it is more than 12 hours before that row: in a
 * recording from 23:00 to 1:00, 0:10 is after midnight. A `to` that is earlier in the day than a `from` is on the next day. If the first row
 * is before that `to` on its own day, the `from` is on the previous day instead, as for 23:50 to 0:30 in a recording from 0:10 to 1:00. When
 * clocks are set back, a repeated time means its first instant as `from`, and its second one as `to`. When they are set forward, a skipped
 * time means the moment of the change.
 *
 * @param firstRowMs null if the recording has no row; times of day are then omitted
 * @throws AsiError `BAD_OPTION` if `to` is before `from` on the day of the recording
 */
export function resolveBounds(
  { from, to, timeZone }: TimeBounds,
  firstRowMs: number | null,
): { from: number | undefined; to: number | undefined } {
  const clock = clockIn(timeZone);
  const firstLocalMs = firstRowMs === null ? null : firstRowMs + clock.offsetAt(firstRowMs);
  let fromLocalMs = localTimeOf(from, firstLocalMs);
  let toLocalMs = localTimeOf(to, firstLocalMs);
  if (from?.kind === "clock" && to?.kind === "clock" && fromLocalMs !== undefined) {
    toLocalMs = midnight(fromLocalMs) + to.sinceMidnightMs;
    if (toLocalMs < fromLocalMs) {
      if (firstLocalMs !== null && firstLocalMs <= toLocalMs) {
        if (toLocalMs + DAY_MS - fromLocalMs > MAX_OVER_MIDNIGHT_MS) throw reversed(from.text, to.text);
        fromLocalMs -= DAY_MS;
      } else toLocalMs += DAY_MS;
    }
  }
  const first = from?.kind === "instant" ? from.ms : at(fromLocalMs, clock.earliestAt);
  const last = to?.kind === "instant" ? to.ms : at(toLocalMs, clock.latestAt);
  const areSkipped = fromLocalMs !== undefined && toLocalMs !== undefined && fromLocalMs <= toLocalMs;
  if (areSkipped && first !== undefined && last !== undefined && first > last) {
    // both are within a skipped hour, so no row is between them
    return { from: last + 0.5, to: last + 0.5 };
  }
  return { from: first, to: last };
}

function reversed(from: string, to: string): AsiError {
  return new AsiError(
    "BAD_OPTION",
    `--to ${to} is before --from ${from} on the day of the recording. Change one of them, or add the dates if --to is on the next day.`,
  );
}

// Returns the local time as ms since 1970; undefined for an instant, and for a time of day without a day.
function localTimeOf(bound: TimeBound | undefined, firstLocalMs: number | null): number | undefined {
  if (bound?.kind === "local") return bound.localMs;
  if (bound?.kind !== "clock" || firstLocalMs === null) return undefined;
  const localMs = midnight(firstLocalMs) + bound.sinceMidnightMs;
  return firstLocalMs - localMs > MAX_BEFORE_MS ? localMs + DAY_MS : localMs;
}

function at(localMs: number | undefined, instantOf: (localMs: number) => number): number | undefined {
  return localMs === undefined ? undefined : instantOf(localMs);
}

function midnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

type Clock = Pick<TimeZone, "offsetAt" | "earliestAt" | "latestAt">;

function clockIn(timeZone: string | undefined): Clock {
  if (timeZone === undefined) return UTC;
  const zone = new TimeZone(timeZone);
  return {
    offsetAt: (ms) => zone.offsetAt(ms),
    earliestAt: (localMs) => zone.earliestAt(localMs),
    latestAt: (localMs) => zone.latestAt(localMs),
  };
}

const UTC: Clock = { offsetAt: () => 0, earliestAt: (localMs) => localMs, latestAt: (localMs) => localMs };

/** Returns the name of a time zone; `local` is the zone of this computer. Throws if the zone does not exist. */
export function parseTimeZone(text: string): string {
  const name = text === "local" ? new Intl.DateTimeFormat().resolvedOptions().timeZone : text;
  try {
    return new TimeZone(name).name;
  } catch {
    throw new InvalidArgumentError(`Give a name such as Europe/Zurich, UTC, or local.${suggestion(text)}`);
  }
}

// Suggests the zones of a city, or zones whose names differ only in case or spaces.
function suggestion(text: string): string {
  const wanted = text.trim().toLowerCase().replaceAll(" ", "_");
  const similar = Intl.supportedValuesOf("timeZone").filter((name) => {
    const lower = name.toLowerCase();
    return wanted.length > 2 && (lower.endsWith(`/${wanted}`) || lower.includes(wanted));
  });
  return similar.length === 0 || similar.length > 3 ? "" : ` (Did you mean ${similar.join(" or ")}?)`;
}
