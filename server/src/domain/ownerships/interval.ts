import { type Interval, normaliseIntervals } from "../../store/samples/index.js";
import { errors } from "../errors.js";
import type { Ownership } from "./rules.js";

/** The time of an ownership as a closed interval: its end is excluded. */
export const intervalOf = ({ startTime, endTime }: Ownership): Interval => ({
  startMs: startTime.getTime(),
  stopMs: endTime.getTime() - 1,
});

/**
 * The parts of an interval in which the caller owned the device, ascending and disjoint.
 * @throws ServiceError `forbidden` when there are none
 */
export function ownedParts(ownerships: readonly Ownership[], { startMs, stopMs }: Interval): Interval[] {
  const parts = normaliseIntervals(
    ownerships.map(intervalOf).map((owned) => ({
      startMs: Math.max(startMs, owned.startMs),
      stopMs: Math.min(stopMs, owned.stopMs),
    })),
  );
  if (parts.length === 0) throw errors.forbidden("You did not own the device between start and stop.");
  return parts;
}

/** The times that an ownership has gained or lost, as closed intervals. */
export function changedTimes(before: Ownership | null, after: Ownership): Interval[] {
  const [startMs, stopMs] = [after.startTime.getTime(), after.endTime.getTime()];
  if (before === null) return [{ startMs, stopMs }];
  return [between(before.startTime.getTime(), startMs), between(stopMs, before.endTime.getTime())].flat();
}

const between = (a: number, b: number): Interval[] =>
  a === b ? [] : [{ startMs: Math.min(a, b), stopMs: Math.max(a, b) }];
