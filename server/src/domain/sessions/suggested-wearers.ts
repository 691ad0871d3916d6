import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import { readInstant } from "../../store/instant.js";
import type { Interval } from "../../store/samples/index.js";
import { assignments, squadMembers, squads } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { permittedNow } from "../permissions/coverage.js";
import { type Membership, type Wearer, type Wearing, wearerSearch } from "./worn-times.js";

/** Other requests run in between, because an account may have 50,000 assignments. */
const ASSIGNMENTS_AT_A_TIME = 1_000;

/** The wearer of a device at a time in the interval, or the last wearer if the caller can still assign it to this athlete. */
export async function wearersOf(
  ctx: Context,
  devices: readonly number[],
  start: Date,
  end: Date,
): Promise<(device: number, range: Interval) => Wearing> {
  const [before, during, memberships] = await Promise.all([
    lastWearers(ctx, devices, start),
    assignmentsIn(ctx, start, end),
    membershipsIn(ctx, start, end),
  ]);
  return wearerSearch([...before, ...during], memberships);
}

/**
 * The last assignment of each device before the interval to an athlete whom the caller may assign now. Earlier ones have no effect,
 * and an account may have 50,000.
 */
async function lastWearers(
  { queries, caller, clock }: Context,
  devices: readonly number[],
  start: Date,
): Promise<Wearer[]> {
  const me = caller?.id ?? 0;
  const now = clock.now();
  const rows = await queries.execute<{
    device_id: string;
    athlete_id: string;
    start_time: string;
    end_time: string;
  }>(sql`
    SELECT wanted.device_id, last.athlete_id, last.start_time, last.end_time
    FROM unnest(${sql.param(devices)}::bigint[]) AS wanted (device_id) CROSS JOIN LATERAL (
      SELECT athlete_id, start_time, end_time FROM assignments AS worn
      WHERE worn.device_id = wanted.device_id AND worn.owner_id = ${me} AND worn.end_time <= ${start} AND EXISTS (
        SELECT FROM permissions WHERE permissions.athlete_id = worn.athlete_id AND manager_id = ${me}
          AND permission = 'WRITE' AND permissions.start_time <= ${now} AND expiration_time > ${now})
      ORDER BY worn.end_time DESC LIMIT 1
    ) AS last`);
  return rows.rows.map((row) => ({
    deviceId: Number(row.device_id),
    athleteId: Number(row.athlete_id),
    ...closed({ startTime: readInstant(row.start_time), endTime: readInstant(row.end_time) }),
    isAllowed: true,
  }));
}

async function assignmentsIn({ queries, caller, clock }: Context, start: Date, end: Date): Promise<Wearer[]> {
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
      .where(
        and(
          eq(assignments.ownerId, me),
          lt(assignments.startTime, end),
          gt(assignments.endTime, start),
          gt(assignments.id, after),
        ),
      )
      .orderBy(asc(assignments.id))
      .limit(ASSIGNMENTS_AT_A_TIME);
    const athletes = rows.map(({ athleteId }) => athleteId).filter((id) => !isAllowed.has(id));
    const permitted = await permittedNow(queries, me, "WRITE", athletes, clock.now());
    for (const id of athletes) isAllowed.set(id, permitted.has(id));
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
