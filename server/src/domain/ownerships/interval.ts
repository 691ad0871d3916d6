import type { Queries } from "../../store/connection/database.js";
import type { Interval } from "../../store/samples/index.js";
import { errors } from "../change/errors.js";
import { type Owner, ownedTimes } from "../sample-ownership/owners.js";
import type { Ownership } from "./rules.js";

/**
 * Returns the parts of an interval during which a manager owned a device, ascending and disjoint.
 * @throws ServiceError `forbidden` when there are none
 */
export async function ownedParts(queries: Queries, owner: Owner, within: Interval): Promise<Interval[]> {
  const parts = await ownedTimes(queries, owner, within);
  requireParts(parts, within);
  return parts;
}

/** @throws ServiceError `forbidden` when there are no parts */
export function requireParts(parts: readonly Interval[], within: Interval): void {
  if (parts.length > 0) return;
  throw errors.forbidden(`You did not own the device between start and stop.${unitHint(within)}`);
}

/**
 * Detects seconds instead of milliseconds. Seconds of the years 2001 to 5138, read as milliseconds, fall into 1970 to
 * 1973, before the first device.
 */
const isLikelySeconds = (value: number) => value >= 1e9 && value < 1e11;

const unitHint = ({ startMs, stopMs }: Interval): string =>
  isLikelySeconds(startMs) && isLikelySeconds(stopMs)
    ? ` Numbers are milliseconds since 1970, so these are ${new Date(startMs).toISOString()} and ${new Date(stopMs).toISOString()}. If they are seconds, multiply them by 1000.`
    : "";

/** Returns the times that an ownership has gained or lost, as closed intervals. */
export function changedTimes(before: Ownership | null, after: Ownership): Interval[] {
  const [startMs, stopMs] = [after.startTime.getTime(), after.endTime.getTime()];
  if (before === null) return [{ startMs, stopMs }];
  return [between(before.startTime.getTime(), startMs), between(stopMs, before.endTime.getTime())].flat();
}

const between = (a: number, b: number): Interval[] =>
  a === b ? [] : [{ startMs: Math.min(a, b), stopMs: Math.max(a, b) }];
