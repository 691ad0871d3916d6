import { and, asc, eq, gt, lt } from "drizzle-orm";
import type { Interval } from "../../store/samples/index.js";
import { assignments, squadMembers, squads } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { grantsOf } from "../permissions/coverage.js";
import { type Membership, type Wearer, type Wearing, wearerSearch } from "./worn-times.js";

/** Other requests run in between, because an account may have 50,000 assignments. */
const ASSIGNMENTS_AT_A_TIME = 1_000;

/** The wearer of a device at a time, or the last wearer if the caller can still assign it to this athlete. */
export async function wearersOf(
  ctx: Context,
  start: Date,
  end: Date,
): Promise<(device: number, range: Interval) => Wearing> {
  const [wearers, memberships] = await Promise.all([
    assignmentsUntil(ctx, end),
    membershipsIn(ctx, start, end),
  ]);
  return wearerSearch(wearers, memberships);
}

async function assignmentsUntil({ queries, caller, clock }: Context, end: Date): Promise<Wearer[]> {
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
    for (const { deviceId, athleteId, ...times } of rows)
      found.push({ deviceId, athleteId, ...closed(times), isAllowed: isAllowed.get(athleteId) === true });
    if (rows.length < ASSIGNMENTS_AT_A_TIME) return found;
    after = rows.at(-1)?.id ?? 0;
  }
}

async function membershipsIn({ queries, caller }: Context, start: Date, end: Date): Promise<Membership[]> {
  const rows = await queries
    .select({
      id: squadMembers.id,
      squadId: squadMembers.squadId,
      athleteId: squadMembers.athleteId,
      startTime: squadMembers.startTime,
      endTime: squadMembers.endTime,
    })
    .from(squadMembers)
    .innerJoin(squads, eq(squads.id, squadMembers.squadId))
    .where(
      and(
        eq(squads.ownerId, caller?.id ?? 0),
        lt(squadMembers.startTime, end),
        gt(squadMembers.endTime, start),
      ),
    );
  return rows.map(({ id, squadId, athleteId, ...times }) => ({ id, squadId, athleteId, ...closed(times) }));
}

/** Ends of assignments and memberships are exclusive. */
const closed = ({ startTime, endTime }: { startTime: Date; endTime: Date }): Interval => ({
  startMs: startTime.getTime(),
  stopMs: endTime.getTime() - 1,
});
