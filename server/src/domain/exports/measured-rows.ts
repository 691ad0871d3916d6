import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { MATCH } from "asi-convert/squad";
import { and, eq, gt, inArray, sql } from "drizzle-orm";
import {
  activities,
  computedData,
  sessionFigures,
  sessionTimeframes,
  timeframes,
} from "../../store/schema.js";
import type { Account } from "../accounts/find.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { groupBy } from "../change/group-by.js";
import { wornDevices, wornTimes } from "../sample-ownership/wearers.js";
import { SUM_OF_HALVES } from "../sessions/figures-inputs.js";
import { readDetails, readInputs } from "../sessions/stored-figures.js";
import { toTimeframe } from "../timeframes/resource.js";
import { type Count, ROWS } from "./athlete-rows.js";
import { jsonArray, jsonArrayOf } from "./json-array.js";

/*
 * Reads the activities, time frames and figures of an athlete for the files of the archive, as JSON text.
 */

/** Number of rows in one read of activities or sessions, which can be several megabytes. */
const LARGE_ROWS = 4;
/** Number of results in one read. A result can have 400 kB. */
const RESULT_ROWS = 20;

const framesAfter = ({ queries }: Context, { id }: Account, after: number, limit: number) =>
  queries
    .select()
    .from(timeframes)
    .where(and(eq(timeframes.athleteId, id), gt(timeframes.id, after)))
    .orderBy(timeframes.id)
    .limit(limit);

/**
 * Reads activities. Includes the `json` of an activity only if no other athlete has time frames in the activity, because it may
 * describe other athletes.
 */
export const activitiesOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    LARGE_ROWS,
    (after, limit) =>
      queries
        .select({
          id: activities.id,
          name: activities.name,
          json_schema: activities.jsonSchemaId,
          // Do not read an omitted `json`, because it can be several megabytes.
          json: sql`CASE WHEN NOT EXISTS (
            SELECT FROM timeframes AS other WHERE other.activity_id = activities.id AND other.athlete_id <> ${id}
          ) THEN activities.json END`.mapWith(activities.json),
          owner: activities.ownerId,
        })
        .from(activities)
        .where(
          and(
            gt(activities.id, after),
            inArray(
              activities.id,
              queries
                .select({ id: timeframes.activityId })
                .from(timeframes)
                .where(eq(timeframes.athleteId, id)),
            ),
          ),
        )
        .orderBy(activities.id)
        .limit(limit),
    ({ json, ...activity }) => (json === null ? activity : { ...activity, json }),
    count,
  );

/** Reads time frames. Omits serial numbers, because anyone who knows one can take a device without an owner. */
export const timeframesOf = (ctx: Context, athlete: Account, count: Count) =>
  jsonArray(ROWS, (after, limit) => framesAfter(ctx, athlete, after, limit), toTimeframe, count);

/**
 * Reads the times of time frames whose samples the archive omits, because an older time frame assigns them to another athlete.
 * Ascending and disjoint for each device and owner.
 */
export function leftOutOf({ queries }: Context, { id }: Account, count: Count): AsyncGenerator<string> {
  async function* times(): AsyncGenerator<unknown> {
    for (const worn of await wornDevices(queries, id)) {
      const { deviceId: device, ownerId: owner } = worn;
      let frames = 0;
      for await (const { others } of wornTimes(queries, worn)) {
        if (frames++ % ROWS === 0) {
          await nextEventLoopTurn();
          yield undefined;
        }
        for (const { startMs, stopMs } of others) {
          count();
          yield {
            device,
            owner,
            start: new Date(startMs).toISOString(),
            stop: new Date(stopMs).toISOString(),
          };
        }
      }
    }
  }
  return jsonArrayOf(times());
}

/** Reads the stored results. They are not recomputed, because the export shows stored data. */
export const computedDataOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    RESULT_ROWS,
    (after, limit) =>
      queries
        .select({
          id: computedData.timeframeId,
          data: computedData.data,
          further: computedData.further,
          profilePoints: computedData.profilePoints,
          computedAt: computedData.computedAt,
        })
        .from(computedData)
        .innerJoin(timeframes, eq(timeframes.id, computedData.timeframeId))
        .where(and(eq(timeframes.athleteId, id), gt(computedData.timeframeId, after)))
        .orderBy(computedData.timeframeId)
        .limit(limit),
    (row) => ({
      timeframe: row.id,
      computed_at: row.computedAt.toISOString(),
      data: JSON.parse(row.data) as unknown,
      further: JSON.parse(row.further) as unknown,
      profile_points: row.profilePoints === null ? null : (JSON.parse(row.profilePoints) as unknown),
    }),
    count,
  );

/** Number of time frames in one search for sessions. */
const FRAMES_AT_A_TIME = 2_000;

/** Yields the sessions from which time frames of the athlete are derived, each once. */
async function* derivedSessionsOf(
  { queries }: Context,
  { id: athleteId }: Account,
): AsyncGenerator<number[]> {
  const known = new Set<number>();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const frames: { id: number }[] = await queries
      .select({ id: timeframes.id })
      .from(timeframes)
      .where(and(eq(timeframes.athleteId, athleteId), gt(timeframes.id, after)))
      .orderBy(timeframes.id)
      .limit(FRAMES_AT_A_TIME);
    const ids = frames.map(({ id }) => id);
    const found = await queries
      .selectDistinct({ id: sessionTimeframes.sessionId })
      .from(sessionTimeframes)
      .where(inArray(sessionTimeframes.timeframeId, ids))
      .orderBy(sessionTimeframes.sessionId);
    yield found.map(({ id }) => id).filter((id) => !known.has(id));
    for (const { id } of found) known.add(id);
    after = ids[FRAMES_AT_A_TIME - 1];
  }
}

/** Reads the figures of some sessions that include only samples of time frames that are still those of the athlete. */
async function figuresIn({ queries }: Context, { id: athleteId }: Account, sessions: readonly number[]) {
  const rows = await queries
    .select()
    .from(sessionFigures)
    .where(and(eq(sessionFigures.athleteId, athleteId), inArray(sessionFigures.sessionId, sessions)))
    .orderBy(sessionFigures.sessionId, sessionFigures.period);
  const framesOf = ({ inputs }: (typeof rows)[number]) =>
    readInputs(inputs).own.split(" ").filter(Boolean).map(Number);
  const ids = sql`ANY (${sql.param([...new Set(rows.flatMap(framesOf))])}::bigint[])`;
  // Read after the figures, so that a time frame that gets another athlete meanwhile does not count. Both tables have the condition,
  // because the database would otherwise join all time frames of the athlete.
  const frames = await queries
    .select({ id: timeframes.id, sessionId: sessionTimeframes.sessionId })
    .from(timeframes)
    .innerJoin(sessionTimeframes, eq(sessionTimeframes.timeframeId, timeframes.id))
    .where(
      and(
        sql`${timeframes.id} = ${ids}`,
        sql`${sessionTimeframes.timeframeId} = ${ids}`,
        eq(timeframes.athleteId, athleteId),
      ),
    );
  const sessionOf = new Map(frames.map(({ id, sessionId }) => [id, sessionId]));
  return rows.filter((row) => framesOf(row).every((frame) => sessionOf.get(frame) === row.sessionId));
}

/** Figures of sessions of squads. Omits serial numbers. */
export function sessionFiguresOf(ctx: Context, athlete: Account, count: Count): AsyncGenerator<string> {
  async function* figures(): AsyncGenerator<unknown> {
    for await (const sessions of derivedSessionsOf(ctx, athlete)) {
      yield undefined;
      for (let at = 0; at < sessions.length; at += LARGE_ROWS) {
        const rows = await figuresIn(ctx, athlete, sessions.slice(at, at + LARGE_ROWS));
        for (const [session, periods] of groupBy(rows, ({ sessionId }) => sessionId)) {
          count();
          yield {
            session,
            periods: periods.map(({ period, figures, details, computedAt }) => ({
              period: period === SUM_OF_HALVES ? MATCH : period,
              computed_at: computedAt.toISOString(),
              figures: JSON.parse(figures) as PlayerFigures["figures"],
              too_fast: readDetails(details).tooFast,
              further: readDetails(details).further,
              definition: readDetails(details).definition,
            })),
          };
        }
      }
    }
  }
  return jsonArrayOf(figures());
}
