import { TimeZone } from "../rows/time-zone.js";
import type { Interval } from "./interval.js";
import { dateOf, numberIn } from "./read-roster.js";

const DAY_MS = 86_400_000;
/**
 * If the end of a period is before its start by time of day, the period ends on the next day, provided that it is at most this long
 * *(choice)*.
 */
const MAX_ACROSS_MIDNIGHT_MS = 6 * 3_600_000;

/** A time entered by a user. */
export interface ClockTime {
  /** ms since 1970 UTC */
  ms: number;
  /** Whether the time has no date and is also possible on another day of the session. */
  isAmbiguous: boolean;
}

/** Reads local times of a session. */
export class SessionClock {
  readonly #zone: TimeZone;
  readonly #session: Interval;

  /** @throws AsiError `BAD_OPTION` for an unknown time zone */
  constructor(session: Interval, timeZone = "UTC") {
    this.#session = session;
    this.#zone = new TimeZone(timeZone);
  }

  /**
   * Reads a start. Without a date, it is on the day that brings it closest to the session. At the end of summer time, a time can occur
   * twice; the instant closer to the session is used, or the first one. A skipped time means the moment of the change.
   *
   * @returns null if the text is not a time
   */
  start(text: string): ClockTime | null {
    const time = dividedTime(text);
    if (time === null) return null;
    const { dateMs, sinceMidnightMs, offsetMs } = time;
    if (offsetMs !== null) return { ms: dateMs + sinceMidnightMs - offsetMs, isAmbiguous: false };
    const localMs = time.hasDate ? [dateMs] : this.#midnights();
    const days = localMs.map((midnight) => this.#closest(this.#instantsAt(midnight + sinceMidnightMs)));
    const within = days.filter((ms) => this.#distance(ms) === 0);
    return { ms: this.#closest(days), isAmbiguous: within.length > 1 };
  }

  /**
   * Reads an end. Without a date, it is on the day of the start, or on the next day if the period continues after midnight. A mistake of
   * the user can put it before the start.
   *
   * @returns null if the text is not a time
   */
  end(text: string, startMs: number): number | null {
    const time = dividedTime(text);
    if (time === null) return null;
    const { dateMs, sinceMidnightMs, offsetMs } = time;
    if (offsetMs !== null) return dateMs + sinceMidnightMs - offsetMs;
    const after = (midnight: number) => {
      const instants = this.#instantsAt(midnight + sinceMidnightMs);
      return instants.find((ms) => ms > startMs) ?? Math.min(...instants);
    };
    if (time.hasDate) return after(dateMs);
    const midnight = this.#midnightBefore(startMs);
    const sameDay = after(midnight);
    if (sameDay > startMs) return sameDay;
    const nextDay = after(midnight + DAY_MS);
    const isInSession = sameDay < this.#session.startMs && nextDay <= this.#session.endMs;
    return nextDay - startMs <= MAX_ACROSS_MIDNIGHT_MS || isInSession ? nextDay : sameDay;
  }

  /** Returns a time preceded by its date, in the format that users write. */
  dated(ms: number, text: string): string {
    return `${new Date(this.#midnightBefore(ms)).toISOString().slice(0, 10)} ${text}`;
  }

  /** Returns the local midnights from the day before the session, as if they were UTC. A few are enough to detect several possible days. */
  #midnights(): number[] {
    const { startMs, endMs } = this.#session;
    const first = this.#midnightBefore(startMs);
    const days = Math.min(Math.ceil((endMs - startMs) / DAY_MS), 2) + 2;
    return Array.from({ length: days }, (_, i) => first + (i - 1) * DAY_MS);
  }

  #midnightBefore(ms: number): number {
    return Math.floor((ms + this.#zone.offsetAt(ms)) / DAY_MS) * DAY_MS;
  }

  /** Returns the instants of a local time: two at the end of summer time. */
  #instantsAt(localMs: number): number[] {
    const earliest = this.#zone.earliestAt(localMs);
    const latest = this.#zone.latestAt(localMs);
    return latest > earliest ? [earliest, latest] : [earliest];
  }

  #distance(ms: number): number {
    return Math.max(this.#session.startMs - ms, ms - this.#session.endMs, 0);
  }

  #closest(instants: readonly number[]): number {
    return instants.reduce((best, ms) => (this.#distance(ms) < this.#distance(best) ? ms : best));
  }
}

interface DividedTime {
  hasDate: boolean;
  /** Midnight of the date as if it were UTC; 0 if there is no date. */
  dateMs: number;
  sinceMidnightMs: number;
  /** Local time minus UTC; null if there is no offset. */
  offsetMs: number | null;
}

/** Splits `15:00`, `2026-05-16 15:00` or `2026-10-25T02:30:00+01:00` into its parts. Returns null for any other text. */
function dividedTime(text: string): DividedTime | null {
  const [, dateText, timeText = "", sign, hours, minutes] =
    /^(?:([\d.-]{8,10})[ T]+)?(.+?)(?:([+-])(\d\d):(\d\d))?$/.exec(text) ?? [];
  const sinceMidnightMs = timeOfDay(timeText);
  const date = dateText === undefined ? null : dateOf(dateText);
  const isWrong = (dateText !== undefined && date === null) || (sign !== undefined && date === null);
  if (sinceMidnightMs === null || isWrong) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return {
    hasDate: date !== null,
    dateMs: date === null ? 0 : Date.parse(`${date}T00:00:00Z`),
    sinceMidnightMs,
    offsetMs: sign === undefined ? null : sign === "-" ? -offsetMs : offsetMs,
  };
}

/**
 * Reads `15:00`, `15:00:30`, `15:00:30,5`, `3:05 PM`, or the share of a day (`0.625`), which spreadsheet cells without a format contain.
 *
 * @returns ms since midnight; null for any other text
 */
function timeOfDay(text: string): number | null {
  const [, hours, minutes, seconds = "0", half] =
    /^(\d{1,2})[:h](\d{2})(?::(\d{2}(?:[.,]\d{1,3})?))?\s*([ap]\.?m\.?)?$/i.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) {
    const share = /[.,]/.test(text) ? numberIn(text) : null;
    return share !== null && share >= 0 && share < 1 ? Math.round(share * 86_400) * 1000 : null;
  }
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0);
  const second = Number(seconds.replace(",", "."));
  if (hour > 23 || Number(minutes) > 59 || second >= 60 || (half !== undefined && Number(hours) > 12))
    return null;
  return (hour * 60 + Number(minutes)) * 60_000 + Math.round(second * 1000);
}
