import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeMetrics } from "../../src/metrics/index.js";
import { loadOverDays } from "../../src/metrics/load/index.js";
import { pooledProfile, seasonMaxSpeed } from "../../src/metrics/person/index.js";
import { readRoster } from "../../src/squad/read-roster.js";

const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const two = (number: number) => String(number).padStart(2, "0");

/** The last day of a month in the Gregorian calendar. */
const lastDay = (year: number, month: number) =>
  month === 2 && (year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0))
    ? 29
    : (DAYS_OF_MONTHS[month - 1] ?? 0);

/** Each input of the library that is a calendar day. */
const INPUTS: Record<string, (day: string) => unknown> = {
  "the day of a load": (day) => loadOverDays([{ day, load: 100 }]),
  "the last day of a load": (day) => loadOverDays([{ day: "1990-01-01", load: 100 }], { to: day }),
  "the day of a maximum speed": (day) => seasonMaxSpeed([{ day, maxSpeed: 9 }], "2020-12-31"),
  "the last day of a season": (day) => seasonMaxSpeed([], day),
  "the day of a pooled profile": (day) =>
    pooledProfile([{ day, points: [] }], { to: "2020-12-31", maxSpeed: 9 }),
  "the last day of a pooled profile": (day) => pooledProfile([], { to: day, maxSpeed: 9 }),
  "a birth date": (day) => computeMetrics([], { birthDate: day }),
  "a birth date of a roster": (day) => {
    const { problems } = readRoster(`player,serial,birth_date\nKunz,TRK-1,${day}\n`);
    for (const { message } of problems) throw new Error(message);
  },
};

describe.each(Object.entries(INPUTS))("%s", (_, read) => {
  it.each(["2025-02-31", "2025-02-29", "2025-04-31", "1900-02-29", "2025-13-01", "2025-00-10", "2025-06-00"])(
    "is refused if it does not exist: %s",
    (day) => {
      expect(() => read(day)).toThrow(day);
    },
  );

  it("is accepted if and only if it exists in the calendar", () => {
    const parts = fc.tuple(fc.integer({ min: 1990, max: 1999 }), fc.nat(13), fc.nat(32));
    fc.assert(
      fc.property(parts, ([year, month, day]) => {
        const isReal = month >= 1 && month <= 12 && day >= 1 && day <= lastDay(year, month);
        const call = expect(() => read(`${year}-${two(month)}-${two(day)}`));
        if (isReal) call.not.toThrow();
        else call.toThrow();
      }),
    );
  });
});
