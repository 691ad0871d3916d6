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
import { wornDevices, wornTimes } from "../sample-ownership/wearers.js";
import { SUM_OF_HALVES } from "../sessions/figures-inputs.js";
import { readDetails } from "../sessions/stored-figures.js";
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

/** Condition: all time frames whose samples the figures include, which their inputs name last, are still those of the athlete. */
const isOfAthlete = ({ id }: Account) => sql`
  string_to_array(split_part(${sessionFigures.inputs}, ':', 4), ' ')::bigint[] <@ ARRAY(
    SELECT ${timeframes.id} FROM ${sessionTimeframes} JOIN ${timeframes} ON ${timeframes.id} = ${sessionTimeframes.timeframeId}
    WHERE ${sessionTimeframes.sessionId} = ${sessionFigures.sessionId} AND ${timeframes.athleteId} = ${id})`;

/** Figures of sessions of squads. Omits serial numbers. */
export const sessionFiguresOf = ({ queries }: Context, athlete: Account, count: Count) =>
  jsonArray(
    LARGE_ROWS,
    async (after, limit) => {
      const ids = await queries
        .selectDistinct({ id: sessionFigures.sessionId })
        .from(sessionFigures)
        .where(
          and(
            eq(sessionFigures.athleteId, athlete.id),
            gt(sessionFigures.sessionId, after),
            isOfAthlete(athlete),
          ),
        )
        .orderBy(sessionFigures.sessionId)
        .limit(limit);
      if (ids.length === 0) return [];
      const rows = await queries
        .select()
        .from(sessionFigures)
        .where(
          and(
            eq(sessionFigures.athleteId, athlete.id),
            inArray(
              sessionFigures.sessionId,
              ids.map((session) => session.id),
            ),
            isOfAthlete(athlete),
          ),
        )
        .orderBy(sessionFigures.sessionId, sessionFigures.period);
      return ids.map((session) => ({
        ...session,
        periods: rows.filter(({ sessionId }) => sessionId === session.id),
      }));
    },
    (session) => ({
      session: session.id,
      periods: session.periods.map(({ period, figures, details, computedAt }) => ({
        period: period === SUM_OF_HALVES ? MATCH : period,
        computed_at: computedAt.toISOString(),
        figures: JSON.parse(figures) as PlayerFigures["figures"],
        further: readDetails(details).further,
        definition: readDetails(details).definition,
      })),
    }),
    count,
  );
