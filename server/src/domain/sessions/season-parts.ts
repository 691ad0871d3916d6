import { sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { readInstant } from "../../store/instant.js";
import { intervalsIn, textOfInstants } from "../../store/samples/index.js";
import { recomputations, sessionFigures, sessionTimeframes, timeframes } from "../../store/schema.js";
import { pendingChanges } from "../computed-data/compute.js";
import { WHOLE } from "./derivation-inputs.js";
import { FIGURES_VERSION, SUM_OF_HALVES } from "./figures-inputs.js";
import type { FrameTime } from "./readable-rows.js";
import type { Session } from "./rules.js";

/** A player in a session. */
export interface Part {
  sessionId: number;
  athleteId: number;
  /** Times with a device in the whole session, disjoint. */
  whole: readonly FrameTime[];
  /** Times with a device in the halves of a match, disjoint; empty if all of them are in one time of the whole session. */
  beyond: readonly FrameTime[];
  /** Inputs of the stored figures, see `inputsOf`; null if they are missing or stale. */
  inputs: string | null;
}

/** A player whose data in the whole session the owner of the squad may read. */
export interface ReadPart extends Part {
  /** Whether the owner may also read the halves of a match. */
  isShown: boolean;
}

export const arrayOf = (ids: readonly number[]) => sql`ANY (${sql.param(ids)}::bigint[])`;

/** Players of a session in the statement below, as lists in the same order. The driver returns large integers and times as text. */
type PartsRow = {
  session_id: string;
  start_time: string | null;
  end_time: string | null;
  several: string | null;
  beyond: string | null;
  is_current: boolean;
  athletes: string;
  inputs: string;
};

/**
 * Returns the players of the sessions, each with the time frames of the whole session and the inputs of valid stored figures. The
 * database returns a row for the players with the same times, because reading thousands of rows would take most of the time.
 */
export async function partsOf(queries: Queries, all: readonly Session[]): Promise<Part[]> {
  // Changes are rarely pending, and a search for each time frame would take most of the time.
  const isPending = (await queries.$count(recomputations)) > 0;
  const pending = isPending ? sql`|| coalesce('.' || ${pendingChanges}, '')` : sql``;
  const ids = arrayOf(all.map(({ id }) => id));
  const matches = arrayOf(all.flatMap(({ id, kind }) => (kind === "match" ? [id] : [])));
  const isWhole = sql`${sessionTimeframes.period} = ${WHOLE}`;
  const framed = sql`${sessionTimeframes} JOIN ${timeframes} ON ${timeframes.id} = ${sessionTimeframes.timeframeId}`;
  const { rows } = await queries.execute<PartsRow>(sql`
    WITH part AS (
      SELECT ${sessionTimeframes.sessionId}, ${timeframes.athleteId},
        string_agg(${timeframes.id} || '.' || ${timeframes.version} || '.' || ${timeframes.dataVersion} ${pending}, ' '
          ORDER BY ${timeframes.id}) AS states,
        min(${timeframes.startTime}) FILTER (WHERE ${isWhole}) AS start_time,
        max(${timeframes.endTime}) FILTER (WHERE ${isWhole}) AS end_time,
        min(${timeframes.startTime}) AS first_time, max(${timeframes.endTime}) AS last_time
      FROM ${framed} WHERE ${sessionTimeframes.sessionId} = ${ids} GROUP BY 1, 2
    ), united AS (
      -- Few players change their device, and uniting the times of each player would take as long as the rest of the statement.
      SELECT ${sessionTimeframes.sessionId}, ${timeframes.athleteId},
        range_agg(tstzrange(${timeframes.startTime}, ${timeframes.endTime})) AS times
      FROM ${framed} WHERE ${sessionTimeframes.sessionId} = ${ids} AND ${isWhole} GROUP BY 1, 2 HAVING count(*) > 1
    ), halves AS (
      -- Other halves are within the time of the whole session, which is checked.
      SELECT part.session_id, part.athlete_id, range_agg(tstzrange(${timeframes.startTime}, ${timeframes.endTime})) AS times
      FROM part LEFT JOIN united USING (session_id, athlete_id) JOIN ${sessionFigures} USING (session_id, athlete_id)
        JOIN ${timeframes} ON ${timeframes.id} = ANY (string_to_array(split_part(inputs, ':', 4), ' ')::bigint[])
      WHERE part.session_id = ${matches} AND period = ${SUM_OF_HALVES}
        AND (united.times IS NOT NULL OR (first_time, last_time) <> (part.start_time, part.end_time)) GROUP BY 1, 2
    ), known AS (
      SELECT session_id, athlete_id, inputs FROM ${sessionFigures} WHERE session_id = ${ids} AND period = ${WHOLE}
    ), checked AS (
      SELECT part.*, coalesce(inputs, '') AS inputs, CASE WHEN united.times IS NOT NULL THEN ${textOfInstants(sql`united.times`)} END AS several,
        CASE WHEN halves.times IS NOT NULL THEN ${textOfInstants(sql`halves.times`)} END AS beyond,
        coalesce(starts_with(inputs, ${`${FIGURES_VERSION}:`} || states || ':'), false) AS is_current
      FROM part LEFT JOIN known USING (session_id, athlete_id) LEFT JOIN united USING (session_id, athlete_id)
        LEFT JOIN halves USING (session_id, athlete_id)
    )
    SELECT session_id, start_time, end_time, several, beyond, is_current, string_agg(athlete_id::text, ',' ORDER BY athlete_id) AS athletes,
      string_agg(inputs, ',' ORDER BY athlete_id) AS inputs
    FROM checked GROUP BY 1, 2, 3, 4, 5, 6`);
  return rows.flatMap(partsIn).sort((a, b) => a.sessionId - b.sessionId || a.athleteId - b.athleteId);
}

function partsIn({ session_id, is_current, athletes, inputs, beyond, ...times }: PartsRow): Part[] {
  const whole = wholeTimesIn(times);
  const stored = inputs.split(",");
  return athletes.split(",").map((athlete, place) => ({
    sessionId: Number(session_id),
    athleteId: Number(athlete),
    whole,
    beyond: framesIn(beyond),
    inputs: is_current ? (stored[place] ?? null) : null,
  }));
}

function wholeTimesIn({
  start_time,
  end_time,
  several,
}: Pick<PartsRow, "start_time" | "end_time" | "several">): FrameTime[] {
  if (several !== null) return framesIn(several);
  if (start_time === null || end_time === null) return [];
  return [{ startTime: readInstant(start_time), endTime: readInstant(end_time) }];
}

const framesIn = (times: string | null): FrameTime[] =>
  intervalsIn(times ?? "[]").map(({ startMs, stopMs }) => ({
    startTime: new Date(startMs),
    endTime: new Date(stopMs + 1),
  }));
