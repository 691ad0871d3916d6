import { errors } from "../change/errors.js";

/** Maximum number of members, or of assignments, that start after a roster, because one transaction compares and changes them. */
export const MAX_LATER = 2_000;

/**
 * Returns the limit of the statement that reads the rows.
 * @param present maximum number of rows that do not start later: one for each athlete or device
 */
export const limitWith = (present: number): number => present + MAX_LATER + 1;

/** @throws ServiceError `too_many_later` */
export function requireFewLater(
  kind: "members" | "assignments",
  rows: readonly { startTime: Date }[],
  from: Date,
): void {
  if (rows.filter(({ startTime }) => startTime > from).length <= MAX_LATER) return;
  throw errors.conflict(
    "too_many_later",
    `More than ${MAX_LATER} ${kind} of these players start after ${from.toISOString()}. Import the roster from a later time, use several files with fewer players, or delete later ${kind} first.`,
  );
}
