import type { Report } from "../../types.js";
import { dependOnDay, MAX_BEFORE_MS, type TimeBound, type TimeBounds } from "../arguments/time-bounds.js";
import { DescribedError, failureOf } from "../terminal/problem.js";
import { instantFormat } from "../terminal/time-text.js";

const UTC_ASSUMED =
  " Times without an offset are UTC; --tz names another zone, such as --tz Europe/Zurich or --tz local.";

/** Adds the time of the recording, in the time zone of the user, to the error for no rows between --from and --to. */
export async function explainEmptyRange<T>(
  { from, to, timeZone }: TimeBounds,
  reading: Promise<T>,
): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const failure = failureOf(error);
    const { start = null, end = null } = failure.report ?? {};
    if (failure.error.code !== "NO_SAMPLES" || start === null || end === null) throw error;
    const instantText = instantFormat(timeZone);
    const isUtcAssumed = timeZone === undefined && [from, to].some(isOnClock);
    const message = `The recording runs from ${instantText(start)} to ${instantText(end)}; no row is within --from/--to.${isUtcAssumed ? UTC_ASSUMED : ""}`;
    throw new DescribedError({ ...failure, error: { ...failure.error, message } });
  }
}

/** Returns whether a bound is a local time without an offset. */
function isOnClock(bound: TimeBound | undefined): boolean {
  return bound?.kind === "clock" || bound?.kind === "local";
}

/**
 * Returns the message that a time of day in --from or --to is on the day of the first row, if the recording continues on another day:
 * receivers can write rows of an earlier day before those of a session. Null if there is nothing to say.
 */
export function otherDaysText(bounds: TimeBounds, { start, end }: Report): string | null {
  if (!dependOnDay(bounds) || start === null || end === null || end - start <= MAX_BEFORE_MS) return null;
  const instantText = instantFormat(bounds.timeZone);
  const [first, last] = [instantText(start), instantText(end)];
  if (first.slice(0, DATE_LENGTH) === last.slice(0, DATE_LENGTH)) return null;
  return `The recording runs from ${first} to ${last}, and --from/--to count from its first day. Add a date to select another day.`;
}

const DATE_LENGTH = "2025-05-17".length;
