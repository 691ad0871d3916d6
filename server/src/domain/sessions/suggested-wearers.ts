import { and, asc, eq, gt, sql } from "drizzle-orm";
import { readInstant } from "../../store/instant.js";
import type { Interval } from "../../store/samples/index.js";
import { assignments, squadMembers, squads } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { isValidBetween } from "../lists/times.js";
import { permittedNow } from "../permissions/coverage.js";
import { type Membership, type Wearer, type Wearing, wearerSearch } from "./worn-times.js";

/** Number of assignments between two turns of the event loop, because an account may have 50,000. */
const ASSIGNMENTS_AT_A_TIME = 1_000;

/** Number of athletes whose permissions one statement reads, because each can have a thousand that have not begun. */
const ATHLETES_AT_A_TIME = 200;

/**
 * Returns a function that finds the wearer of a device at a time in the interval, or the last wearer if the caller can still
 * assign the device to this athlete.
 */
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
 * Reads the last assignment of each device before the interval to an athlete whom the caller may assign now. Earlier assignments
 * have no effect, and an account may have 50,000. Permissions are read once for each athlete, not for each assignment.
 */
async function lastWearers(ctx: Context, devices: readonly number[], start: Date): Promise<Wearer[]> {
  const { queries, caller } = ctx;
  const before = sql`owner_id = ${caller?.id ?? 0} AND device_id = ANY(${sql.param(devices)}::bigint[]) AND end_time <= ${start}`;
  const athletes = await queries.execute<{ ids: string }>(
    sql`SELECT coalesce(json_agg(DISTINCT athlete_id), '[]')::text AS ids FROM ${assignments} WHERE ${before}`,
  );
  const allowed = await allowedOf(ctx, JSON.parse(athletes.rows[0]?.ids ?? "[]") as number[]);
  if (allowed.length === 0) return [];
  const { rows } = await queries.execute<{
    device_id: string;
    athlete_id: string;
    start_time: string;
    end_time: string;
  }>(sql`
    SELECT DISTINCT ON (device_id) device_id, athlete_id, start_time, end_time FROM ${assignments}
    WHERE ${before} AND athlete_id IN (SELECT unnest(${sql.param(allowed)}::bigint[]))
    ORDER BY device_id, end_time DESC`);
  return rows.map((row) => ({
    deviceId: Number(row.device_id),
    athleteId: Number(row.athlete_id),
    ...closed({ startTime: readInstant(row.start_time), endTime: readInstant(row.end_time) }),
    isAllowed: true,
  }));
}

/** Returns the athletes whom the caller may assign now. */
async function allowedOf(
  { queries, caller, clock, signal }: Context,
  athletes: readonly number[],
): Promise<number[]> {
  const allowed: number[] = [];
  for (let at = 0; at < athletes.length; at += ATHLETES_AT_A_TIME) {
    signal?.throwIfAborted();
    const some = athletes.slice(at, at + ATHLETES_AT_A_TIME);
    allowed.push(...(await permittedNow(queries, caller?.id ?? 0, "WRITE", some, clock.now())));
  }
  return allowed;
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
        and(eq(assignments.ownerId, me), isValidBetween(assignments, start, end), gt(assignments.id, after)),
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
    .where(and(eq(squads.ownerId, caller?.id ?? 0), isValidBetween(squadMembers, start, end)));
  return rows.map(({ id, squadId, athleteId, ...times }) => ({ id, squadId, athleteId, ...closed(times) }));
}

/** Ends of assignments and memberships are exclusive. */
const closed = ({ startTime, endTime }: { startTime: Date; endTime: Date }): Interval => ({
  startMs: startTime.getTime(),
  stopMs: endTime.getTime() - 1,
});
