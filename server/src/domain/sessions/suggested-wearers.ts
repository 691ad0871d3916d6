import { and, asc, eq, gt, lt } from "drizzle-orm";
import type { Interval } from "../../store/samples/index.js";
import { assignments, squadMembers, squads } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { groupBy } from "../lists/group-by.js";
import { grantsOf } from "../permissions/coverage.js";

/** Other requests run in between, because an account may have 50,000 assignments. */
const ASSIGNMENTS_AT_A_TIME = 1_000;

/** The wearer of a device at a time. */
export interface Wearing {
  /** Null if unknown. */
  athlete: number | null;
  /** Whether the device is assigned to the athlete at this time. */
  isAssigned: boolean;
  /** The squad of the athlete at this time. */
  squad: number | null;
}

/** The wearer of a device at a time, or the last wearer if the caller can still assign it to this athlete. */
export async function wearersOf(
  { queries, caller, clock }: Context,
  start: Date,
  end: Date,
): Promise<(device: number, range: Interval) => Wearing> {
  const me = caller?.id ?? 0;
  const found: Wearer[] = [];
  const isAllowed = new Map<number, boolean>();
  for (let after = 0; ; ) {
    const rows = await queries
      .select({
        id: assignments.id,
        deviceId: assignments.deviceId,
        athleteId: assignments.athleteId,
        startTime: assignments.startTime,
        endTime: assignments.endTime,
      })
      .from(assignments)
      .where(and(eq(assignments.ownerId, me), lt(assignments.startTime, end), gt(assignments.id, after)))
      .orderBy(asc(assignments.id))
      .limit(ASSIGNMENTS_AT_A_TIME);
    const athletes = rows.map(({ athleteId }) => athleteId).filter((id) => !isAllowed.has(id));
    const grants = await grantsOf(queries, me, "WRITE", athletes);
    for (const id of athletes) isAllowed.set(id, grants.activeAt(id, clock.now()));
    for (const { deviceId, athleteId, startTime, endTime } of rows) {
      found.push({
        deviceId,
        athleteId,
        startMs: startTime.getTime(),
        endMs: endTime.getTime(),
        isAllowed: isAllowed.get(athleteId) === true,
      });
    }
    if (rows.length < ASSIGNMENTS_AT_A_TIME) break;
    after = rows.at(-1)?.id ?? 0;
  }
  const byDevice = groupBy(found, ({ deviceId }) => deviceId);
  for (const wearers of byDevice.values()) wearers.sort((a, b) => a.startMs - b.startMs);
  const members = await queries
    .select({
      squad: squadMembers.squadId,
      athlete: squadMembers.athleteId,
      startTime: squadMembers.startTime,
      endTime: squadMembers.endTime,
    })
    .from(squadMembers)
    .innerJoin(squads, eq(squads.id, squadMembers.squadId))
    .where(and(eq(squads.ownerId, me), lt(squadMembers.startTime, end), gt(squadMembers.endTime, start)))
    .orderBy(asc(squadMembers.id));
  const byAthlete = groupBy(members, ({ athlete }) => athlete);
  return (device, range) => {
    const wearers = byDevice.get(device) ?? [];
    let before = beginningBy(wearers, range.stopMs);
    // The assignments of a device do not overlap, so only the last one of those that have begun can cover the range.
    const isAssigned = (wearers[before - 1]?.endMs ?? 0) > range.startMs;
    while (!isAssigned && before > 0 && !wearers[before - 1]?.isAllowed) before--;
    const athlete = wearers[before - 1]?.athleteId ?? null;
    const member = byAthlete.get(athlete ?? 0)?.find((one) => overlaps(one, range));
    return { athlete, isAssigned, squad: member?.squad ?? null };
  };
}

/** An assignment of a device. */
interface Wearer {
  deviceId: number;
  athleteId: number;
  startMs: number;
  endMs: number;
  /** Whether the caller may assign the device to this athlete now. */
  isAllowed: boolean;
}

/** The number of assignments that have begun by this time. @param wearers in chronological order */
function beginningBy(wearers: readonly Wearer[], ms: number): number {
  let [from, to] = [0, wearers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((wearers[middle]?.startMs ?? 0) <= ms) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whether two times have a common instant. */
export const overlaps = (
  { startTime, endTime }: { startTime: Date; endTime: Date },
  { startMs, stopMs }: Interval,
) => startTime.getTime() <= stopMs && endTime.getTime() > startMs;
