/** Jobs that will change what a session shows. */
import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isUnended } from "../../store/queue/job-queue.js";
import { jobs, refusedDerivations, squadMembers } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { matchesStrongly } from "../change/entity-tags.js";
import { subjectOf } from "./derive-sessions.js";
import { MAX_PLAYERS } from "./players.js";
import { type SessionState, sessionItem } from "./resource.js";
import type { SeenSession, Session } from "./rules.js";

type Timed = Pick<Session, "id" | "ownerId" | "squadId" | "startTime" | "endTime">;

type Details = ReturnType<typeof sessionItem>;

/**
 * Selects the subjects of unfinished derivations of a session: derivations of the session itself, its squad, its players or all
 * sessions of the owner. The limit makes the database search the index for each subject, instead of reading all jobs of the
 * owner. A session with more players than the maximum has no table, so further players do not matter.
 */
function subjects({ id, ownerId, squadId, startTime, endTime }: Timed): SQL {
  const own = [subjectOf({}), subjectOf({ squadId }), subjectOf({ sessionId: id })];
  const numberIn = (key: string) => sql`(${jobs.payload}->>${sql.raw(`'${key}'`)})::float8`;
  const [after, until] = [numberIn("after"), numberIn("until")];
  return sql`SELECT subject FROM (
      SELECT unnest(${sql.param(own)}::text[]) UNION
      SELECT 'athlete ' || athlete_id FROM (
        SELECT DISTINCT ${squadMembers.athleteId} FROM ${squadMembers} WHERE ${squadMembers.squadId} = ${squadId}
          AND ${squadMembers.startTime} < ${endTime} AND ${squadMembers.endTime} > ${startTime}
        LIMIT ${MAX_PLAYERS + 1}
      ) AS players
    ) AS known (subject) CROSS JOIN LATERAL (
      SELECT 1 FROM ${jobs} WHERE ${jobs.kind} = 'derive' AND ${jobs.chargedTo} = ${ownerId} AND ${isUnended}
        AND ${jobs.payload}->>'subject' = known.subject
        AND ${numberIn("fromMs")} < ${endTime.getTime()} AND ${numberIn("toMs")} > ${startTime.getTime()}
        AND CASE WHEN ${until} > ${after} THEN ${id} > ${after} AND ${id} <= ${until}
          ELSE ${id} > ${after} OR ${id} <= ${until} END
      LIMIT 1
    ) AS waiting`;
}

/** Returns a function that tells whether the time frames of a player are about to be derived. */
export async function waitingDerivations(
  queries: Queries,
  session: Timed,
): Promise<(athleteId: number) => boolean> {
  const { rows } = await queries.execute<{ subject: string }>(subjects(session));
  const found = new Set(rows.map(({ subject }) => subject));
  const isOfAll = [...found].some((subject) => !subject.startsWith("athlete "));
  return (athleteId) => isOfAll || found.has(subjectOf({ athleteId }));
}

/** The details of a session, and whether its time frames or figures are being computed, or cannot be because of a limit. */
export async function sessionDetails(queries: Queries, session: SeenSession): Promise<Details> {
  const { id, ownerId, view } = session;
  const { rows } = await queries.execute<SessionState & Record<string, unknown>>(sql`
    SELECT EXISTS (${subjects(session)}) OR EXISTS (
      SELECT FROM ${jobs} WHERE ${jobs.kind} = 'session-figures' AND ${jobs.chargedTo} = ${ownerId}
        AND ${isUnended} AND ${jobs.payload}->>'session' = ${String(id)}) AS computing,
      EXISTS (SELECT FROM ${refusedDerivations} WHERE session_id = ${id}
        AND coalesce(${view.athleteId}::bigint = ANY(athletes), true)) AS limit_reached`);
  const [{ computing, limit_reached } = { computing: false, limit_reached: false }] = rows;
  return sessionItem(session, { computing, limit_reached });
}

/** The details for `If-Match`. Any state matches, because the end of a computation is not a change by another user. */
export function detailsToMatch({ ifMatch = "" }: Context, session: SeenSession): Details {
  const states = [true, false].flatMap((computing) =>
    [true, false].map((limit_reached) => sessionItem(session, { computing, limit_reached })),
  );
  const idle = sessionItem(session, { computing: false, limit_reached: false });
  return states.find(({ etag }) => matchesStrongly(ifMatch, etag)) ?? idle;
}
