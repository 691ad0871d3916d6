import { TimeZone } from "../../rows/time-zone.js";

const DAY_MS = 86_400_000;

/** A calendar day in a time zone. */
export interface Day {
  /** `2025-05-17` */
  date: string;
  /** The first instant of the day, ms since 1970 UTC. */
  fromMs: number;
  /** The first instant of the next day. */
  toMs: number;
}

/** An interval whose ends are both inclusive, ms since 1970 UTC. */
export interface Interval {
  startMs: number;
  stopMs: number;
}

/**
 * Length of a window, in days. The service lists ranges of at most 14 days, and 13 calendar days are shorter than that even when clocks are
 * set back. Windows start at fixed days, so a range has the same ends in each run.
 */
const WINDOW_DAYS = 13;

/** Calendar days in a time zone, numbered from 1 January 1970. */
export class Calendar {
  readonly #zone: TimeZone | null;

  /** @param timeZone default: UTC */
  constructor(timeZone: string | undefined) {
    this.#zone = timeZone === undefined ? null : new TimeZone(timeZone);
  }

  day(number: number): Day {
    return {
      date: new Date(number * DAY_MS).toISOString().slice(0, 10),
      fromMs: this.#startOf(number),
      toMs: this.#startOf(number + 1),
    };
  }

  /** Yields the numbers of the days that contain a part of an interval, in ascending order. */
  *daysOf({ startMs, stopMs }: Interval): Generator<number> {
    // includes a day before and a day after, because local time can run backwards over midnight
    const last = this.#numberAt(stopMs) + 1;
    for (let number = this.#numberAt(startMs) - 1; number <= last; number++) {
      const { fromMs, toMs } = this.day(number);
      if (fromMs <= stopMs && toMs > Math.max(startMs, fromMs)) yield number;
    }
  }

  /** Returns the windows that contain a part of one of the intervals, in ascending order. */
  windowsOf(intervals: readonly Interval[]): Interval[] {
    const numbers = new Set<number>();
    for (const { startMs, stopMs } of intervals) {
      const first = Math.floor((this.#numberAt(startMs) - 1) / WINDOW_DAYS);
      const last = Math.floor((this.#numberAt(stopMs) + 1) / WINDOW_DAYS);
      for (let number = first; number <= last; number++) numbers.add(number);
    }
    return [...numbers]
      .sort((a, b) => a - b)
      .map((number) => ({
        startMs: this.#startOf(number * WINDOW_DAYS),
        stopMs: this.#startOf((number + 1) * WINDOW_DAYS) - 1,
      }))
      .filter((window) =>
        intervals.some((one) => one.startMs <= window.stopMs && one.stopMs >= window.startMs),
      );
  }

  #numberAt(ms: number): number {
    return Math.floor((ms + (this.#zone?.offsetAt(ms) ?? 0)) / DAY_MS);
  }

  #startOf(number: number): number {
    return this.#zone?.earliestAt(number * DAY_MS) ?? number * DAY_MS;
  }
}
