import type { Interval } from "../../store/samples/index.js";
import { groupBy } from "../change/group-by.js";
import { OldestFirst } from "../sample-ownership/oldest-first.js";
import { overlapSearch } from "../sample-ownership/overlap-search.js";

/** An assignment of a device; the interval is closed. The assignments of a device do not overlap. */
export interface Wearer extends Interval {
  deviceId: number;
  athleteId: number;
  /** Whether the caller may assign the device to this athlete now. */
  isAllowed: boolean;
}

/** A time during which an athlete is a member of a squad; the interval is closed. */
export interface Membership extends Interval {
  id: number;
  athleteId: number;
  squadId: number;
}

/** The wearer of a device at a time. */
export interface Wearing {
  /** Null if unknown. */
  athlete: number | null;
  /** Whether the device is assigned to the athlete at this time. */
  isAssigned: boolean;
  /** The squad of the athlete at the beginning of this time, otherwise the next one during it. Of several memberships, the oldest counts. */
  squad: number | null;
}

/**
 * Returns a function that finds the wearer of a device at a time, or the last wearer whom the caller may assign. Every call takes a
 * number of steps that is logarithmic in the number of assignments and memberships.
 */
export function wearerSearch(
  assignments: readonly Wearer[],
  memberships: readonly Membership[],
): (device: number, range: Interval) => Wearing {
  const wearersOf = mapValues(
    groupBy(assignments, ({ deviceId }) => deviceId),
    inOrder,
  );
  const squadOf = mapValues(
    groupBy(memberships, ({ athleteId }) => athleteId),
    (all) => overlapSearch(squadTimes(all)),
  );
  return (device, range) => {
    const { wearers, allowed } = wearersOf.get(device) ?? { wearers: [], allowed: [] };
    const begun = beginningBy(wearers, range.stopMs);
    const last = wearers[begun - 1];
    // Only the last one of those that have begun can cover the range.
    const isAssigned = last !== undefined && last.stopMs >= range.startMs;
    const athlete = (isAssigned ? last : allowed[begun - 1])?.athleteId ?? null;
    const squad = (athlete === null ? undefined : squadOf.get(athlete)?.(range)?.squadId) ?? null;
    return { athlete, isAssigned, squad };
  };
}

const mapValues = <Key, A, B>(map: ReadonlyMap<Key, A>, change: (value: A) => B): Map<Key, B> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));

/**
 * Returns assignments in chronological order. `allowed` contains, for each of them, the latest allowed one up to and including
 * it.
 */
function inOrder(assignments: readonly Wearer[]) {
  const wearers = assignments.toSorted((a, b) => a.startMs - b.startMs);
  let last: Wearer | undefined;
  const allowed = wearers.map((wearer) => {
    if (wearer.isAllowed) last = wearer;
    return last;
  });
  return { wearers, allowed };
}

/** Returns the number of assignments that have begun at or before this time. @param wearers in chronological order */
function beginningBy(wearers: readonly Wearer[], ms: number): number {
  let [from, to] = [0, wearers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((wearers[middle]?.startMs ?? 0) <= ms) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns the squad of an athlete over time, ascending and disjoint. An athlete can be in several squads at a time. */
function squadTimes(memberships: readonly Membership[]): (Interval & { squadId: number })[] {
  const times: (Interval & { squadId: number })[] = [];
  const current = new OldestFirst<Membership & { assignedAtMs: number }>();
  let atMs = Number.NEGATIVE_INFINITY;
  const advance = (toMs: number) => {
    for (let { oldest } = current; oldest !== undefined && atMs < toMs; { oldest } = current) {
      if (oldest.stopMs < atMs) {
        current.removeOldest();
        continue;
      }
      const stopMs = Math.min(oldest.stopMs, toMs - 1);
      times.push({ startMs: atMs, stopMs, squadId: oldest.squadId });
      atMs = stopMs + 1;
    }
    atMs = toMs;
  };
  for (const membership of memberships.toSorted((a, b) => a.startMs - b.startMs)) {
    advance(membership.startMs);
    // All have the same age, so the lowest id is the oldest.
    current.add({ ...membership, assignedAtMs: 0 });
  }
  advance(Number.POSITIVE_INFINITY);
  return times;
}
