import { and, asc, eq, or, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Interval, normaliseIntervals } from "../../store/samples/index.js";
import { assignments, ownerships, sessionTimeframes, squadMembers, timeframes } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { authorize } from "../change/access.js";
import type { Context } from "../change/context.js";
import { isValidAt } from "../lists/times.js";
import { type Grants, grantsOf } from "../permissions/coverage.js";
import {
  type LiveDevice,
  type LiveDevices,
  MAX_LIVE_DEVICES,
  ownershipVersion,
  requireFewDevices,
  requireFewTimes,
} from "../raw-data/live-devices.js";
import { intersect } from "../sample-ownership/intervals.js";
import { WHOLE } from "./derivation-inputs.js";

/** An ownership that has not ended. */
const CURRENT = { id: ownerships.id, version: ownerships.version, startTime: ownerships.startTime };
const isCurrentOf = (deviceId: typeof timeframes.deviceId | typeof assignments.deviceId, ownerId: number) =>
  and(
    eq(ownerships.deviceId, deviceId),
    eq(ownerships.managerId, ownerId),
    // A constant, so that a prepared statement can use the index of current ownerships.
    eq(ownerships.endTime, sql.raw(`'${CURRENT_END.toISOString()}'`)),
  );

/** Permissions that ended earlier do not apply to live data. */
const RECENT_MS = 20 * 60_000;

/** Rows of one statement: a player may have several assignments, and a device several players. */
const MAX_ROWS = 10 * MAX_LIVE_DEVICES;

/**
 * Follows the devices that players of a squad wear now. Includes samples from times at which the player wore the device as a
 * player of the squad and the manager may read the player's data.
 */
export const squadDevices =
  (ctx: Context, squad: number): LiveDevices =>
  async () => {
    const { ownerId } = await authorize(ctx, "streamSquadSamples", { squad });
    const now = ctx.clock.now();
    const worn = await ctx.queries
      .select({
        athleteId: squadMembers.athleteId,
        deviceId: assignments.deviceId,
        member: { startTime: squadMembers.startTime, endTime: squadMembers.endTime },
        assignment: { startTime: assignments.startTime, endTime: assignments.endTime },
        ownership: CURRENT,
      })
      .from(squadMembers)
      .innerJoin(
        assignments,
        and(
          eq(assignments.athleteId, squadMembers.athleteId),
          eq(assignments.ownerId, ownerId),
          isValidAt(assignments, now),
        ),
      )
      .innerJoin(ownerships, isCurrentOf(assignments.deviceId, ownerId))
      .where(and(eq(squadMembers.squadId, squad), isValidAt(squadMembers, now)))
      .orderBy(asc(assignments.deviceId), asc(assignments.id))
      .limit(MAX_ROWS);
    const recently = { startTime: new Date(now.getTime() - RECENT_MS), endTime: now };
    const grants = await grantsOf(
      ctx.queries,
      ownerId,
      "READ",
      worn.map(({ athleteId }) => ({ athleteId, ...recently })),
    );
    return devicesOf(
      worn.map(({ member, assignment, ...row }) => ({
        ...row,
        times: intersect(
          timesOf(member.startTime, member.endTime),
          timesOf(assignment.startTime, assignment.endTime),
        ),
      })),
      grants,
    );
  };

/** Follows the devices of a session, with the samples of the time frames from times at which the owner of the session may read them. */
export const sessionDevices =
  (ctx: Context, session: number): LiveDevices =>
  async () => {
    const { ownerId } = await authorize(ctx, "streamSessionSamples", { session });
    const whole = wholeTimes(ctx.queries, session);
    const frames = await ctx.queries
      .select({
        athleteId: timeframes.athleteId,
        deviceId: timeframes.deviceId,
        startTime: timeframes.startTime,
        endTime: timeframes.endTime,
        ownership: CURRENT,
      })
      .from(sessionTimeframes)
      .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
      .innerJoin(ownerships, isCurrentOf(timeframes.deviceId, ownerId))
      .leftJoin(
        whole,
        and(eq(whole.athleteId, timeframes.athleteId), eq(whole.deviceId, timeframes.deviceId)),
      )
      .where(
        and(
          eq(sessionTimeframes.sessionId, session),
          // The time frames of periods usually add nothing to the time frame of the whole session, and there may be thousands.
          or(eq(sessionTimeframes.period, WHOLE), sql`NOT coalesce(${whole.times} @> ${timeOfFrame}, false)`),
        ),
      )
      .orderBy(asc(timeframes.deviceId), asc(timeframes.id))
      .limit(MAX_ROWS);
    const grants = await grantsOf(ctx.queries, ownerId, "READ", frames);
    return devicesOf(
      frames.map(({ startTime, endTime, ...row }) => ({
        ...row,
        times: [{ startMs: startTime.getTime(), stopMs: endTime.getTime() }],
      })),
      grants,
    );
  };

const timeOfFrame = sql`tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]')`;

/** Selects the times of the time frames of the whole session by player and device, once instead of for each time frame. */
const wholeTimes = (queries: Queries, session: number) =>
  queries
    .select({
      athleteId: timeframes.athleteId,
      deviceId: timeframes.deviceId,
      times: sql`range_agg(${timeOfFrame})`.as("times"),
    })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .where(and(eq(sessionTimeframes.sessionId, session), eq(sessionTimeframes.period, WHOLE)))
    .groupBy(timeframes.athleteId, timeframes.deviceId)
    .as("whole");

/** Returns a time whose end is excluded as a closed interval. */
const timesOf = (start: Date, end: Date): Interval[] => [
  { startMs: start.getTime(), stopMs: end.getTime() - 1 },
];

interface Worn {
  athleteId: number;
  deviceId: number;
  ownership: { id: number; version: number; startTime: Date };
  times: readonly Interval[];
}

/**
 * Returns the devices with the times that the caller may read.
 * @throws ServiceError `conflict`
 */
function devicesOf(rows: readonly Worn[], grants: Grants): LiveDevice[] {
  const devices = new Map<number, { ownership: string; parts: Map<number, Interval[]> }>();
  let count = 0;
  for (const { athleteId, deviceId, ownership, times } of rows) {
    const owned = { startMs: ownership.startTime.getTime(), stopMs: Number.MAX_SAFE_INTEGER };
    const own = intersect(intersect(times, [owned]), grants.times(athleteId));
    if (own.length === 0) continue;
    count += own.length;
    requireFewTimes(count);
    const device = devices.get(deviceId) ?? { ownership: ownershipVersion(ownership), parts: new Map() };
    device.parts.set(athleteId, [...(device.parts.get(athleteId) ?? []), ...own]);
    devices.set(deviceId, device);
  }
  requireFewDevices(devices.size);
  return [...devices].map(([deviceId, { ownership, parts }]) => ({
    deviceId,
    ownership,
    parts: [...parts].map(([athleteId, times]) => ({ athleteId, times: normaliseIntervals(times) })),
  }));
}
