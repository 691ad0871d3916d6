import { type Interval, normaliseIntervals } from "../../store/samples/index.js";
import { errors } from "../errors.js";
import type { Ownership } from "./rules.js";

/** The ownership's time: it ends before its end. */
export const intervalOf = ({ startTime, endTime }: Ownership): Interval => ({
  startMs: startTime.getTime(),
  stopMs: endTime.getTime() - 1,
});

/**
 * The parts of an interval in which the device was the caller's, ascending, apart from each other.
 * @throws ServiceError `forbidden` when there is none
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

/** The times that one ownership has gained or lost, both ends included. */
export function changedTimes(before: Ownership | null, after: Ownership): Interval[] {
  const [startMs, stopMs] = [after.startTime.getTime(), after.endTime.getTime()];
  if (before === null) return [{ startMs, stopMs }];
  return [between(before.startTime.getTime(), startMs), between(stopMs, before.endTime.getTime())].flat();
}

const between = (a: number, b: number): Interval[] =>
  a === b ? [] : [{ startMs: Math.min(a, b), stopMs: Math.max(a, b) }];
