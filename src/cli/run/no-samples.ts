import type { TimeBound, TimeBounds } from "../arguments/time-bounds.js";
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
