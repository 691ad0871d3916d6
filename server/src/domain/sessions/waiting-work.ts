/** Jobs that will change what a session shows. */
import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isUnended } from "../../store/queue/job-queue.js";
import { jobs, refusedDerivations, sessions, squadMembers } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { matchesStrongly } from "../change/entity-tags.js";
import type { SeenSquad } from "../squad-roles/rules.js";
import { subjectOf } from "./derive-sessions.js";
import { MAX_PLAYERS } from "./players.js";
import { type SessionState, sessionItem } from "./resource.js";
import type { SeenSession, Session } from "./rules.js";

/** Maximum number of unfinished derivations of an owner that a season compares with its sessions. */
const MAX_COMPARED = 100;

type Timed = Pick<Session, "id" | "ownerId" | "squadId" | "startTime" | "endTime">;

type Details = ReturnType<typeof sessionItem>;

const isDerivationOf = (ownerId: number): SQL =>
  sql`${jobs.kind} = 'derive' AND ${jobs.chargedTo} = ${ownerId} AND ${isUnended}`;

const numberIn = (key: string): SQL => sql`(${jobs.payload}->>${sql.raw(`'${key}'`)})::float8`;

/** The times of a derivation, and the ids of the sessions that it has not reached yet. */
const DERIVATION = {
  ...{ fromMs: numberIn("fromMs"), toMs: numberIn("toMs") },
  ...{ after: numberIn("after"), until: numberIn("until") },
};

/** The condition that a derivation concerns the time of a session and has not reached it yet. */
const willReach = (
  { fromMs, toMs, after, until }: typeof DERIVATION,
  { id, startMs, endMs }: Record<"id" | "startMs" | "endMs", SQL | number>,
): SQL => sql`${fromMs} < ${endMs} AND ${toMs} > ${startMs}
  AND CASE WHEN ${until} > ${after} THEN ${id} > ${after} AND ${id} <= ${until}
    ELSE ${id} > ${after} OR ${id} <= ${until} END`;

/**
 * Selects the subjects of unfinished derivations of a session: derivations of the session itself, its squad, its players or all
 * sessions of the owner. The limit makes the database search the index for each subject, instead of reading all jobs of the
 * owner. A session with more players than the maximum has no table, so further players do not matter.
 */
function subjects({ id, ownerId, squadId, startTime, endTime }: Timed): SQL {
  const own = [subjectOf({}), subjectOf({ squadId }), subjectOf({ sessionId: id })];
  const times = { id, startMs: startTime.getTime(), endMs: endTime.getTime() };
  return sql`SELECT subject FROM (
      SELECT unnest(${sql.param(own)}::text[]) UNION
      SELECT 'athlete ' || athlete_id FROM (
        SELECT DISTINCT ${squadMembers.athleteId} FROM ${squadMembers} WHERE ${squadMembers.squadId} = ${squadId}
          AND ${squadMembers.startTime} < ${endTime} AND ${squadMembers.endTime} > ${startTime}
        LIMIT ${MAX_PLAYERS + 1}
      ) AS players
    ) AS known (subject) CROSS JOIN LATERAL (
      SELECT 1 FROM ${jobs} WHERE ${isDerivationOf(ownerId)} AND ${jobs.payload}->>'subject' = known.subject
        AND ${willReach(DERIVATION, times)}
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

/** Whether the figures of a session are computed by a job. The limit makes the database search the index for each session. */
const hasFiguresJob = (ownerId: number, id: SQL): SQL => sql`((
  SELECT 1 FROM ${jobs} WHERE ${jobs.kind} = 'session-figures' AND ${jobs.chargedTo} = ${ownerId} AND ${isUnended}
    AND ${jobs.payload}->>'session' = ${id} LIMIT 1) IS NOT NULL)`;

/** The details of a session, and whether its time frames or figures are being computed, or cannot be because of a limit. */
export async function sessionDetails(queries: Queries, session: SeenSession): Promise<Details> {
  const { id, ownerId, view } = session;
  const { rows } = await queries.execute<SessionState & Record<string, unknown>>(sql`
    SELECT EXISTS (${subjects(session)}) OR ${hasFiguresJob(ownerId, sql`${String(id)}`)} AS computing,
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

/** The columns of the statement below. */
const WAITING: typeof DERIVATION = {
  ...{ fromMs: sql`waiting.from_ms`, toMs: sql`waiting.to_ms` },
  ...{ after: sql`waiting.after`, until: sql`waiting.until` },
};
const SEASON = { id: sql`season.id`, startMs: sql`season.start_ms`, endMs: sql`season.end_ms` };

/**
 * Ids of those sessions of a squad whose details say that they are being computed. If too many derivations wait to be compared, all
 * sessions count.
 */
export async function computingSessions(
  queries: Queries,
  { id: squadId, ownerId }: Pick<SeenSquad, "id" | "ownerId">,
  all: readonly Session[],
): Promise<ReadonlySet<number>> {
  if (all.length === 0) return new Set();
  const ids = all.map(({ id }) => id);
  const { rows } = await queries.execute<{ id: string }>(sql`
    WITH waiting AS MATERIALIZED (
      SELECT ${jobs.payload}->>'subject' AS subject, ${DERIVATION.fromMs} AS from_ms, ${DERIVATION.toMs} AS to_ms,
        ${DERIVATION.after} AS after, ${DERIVATION.until} AS until
      FROM ${jobs} WHERE ${isDerivationOf(ownerId)} LIMIT ${MAX_COMPARED + 1}
    ), season AS MATERIALIZED (
      SELECT ${sessions.activityId} AS id, ${sessions.startTime} AS start_time, ${sessions.endTime} AS end_time,
        (1000 * extract(epoch FROM ${sessions.startTime}))::float8 AS start_ms,
        (1000 * extract(epoch FROM ${sessions.endTime}))::float8 AS end_ms
      FROM ${sessions} WHERE ${sessions.activityId} = ANY (${sql.param(ids)}::bigint[])
    )
    SELECT id FROM season
    WHERE (SELECT count(*) > ${MAX_COMPARED} FROM waiting)
      OR EXISTS (SELECT FROM waiting WHERE ${willReach(WAITING, SEASON)} AND CASE
        WHEN subject LIKE 'athlete %' THEN EXISTS (SELECT FROM ${squadMembers}
          WHERE ${squadMembers.athleteId} = substr(subject, 9)::bigint AND ${squadMembers.squadId} = ${squadId}
            AND ${squadMembers.startTime} < season.end_time AND ${squadMembers.endTime} > season.start_time)
        ELSE subject IN (${subjectOf({})}, ${subjectOf({ squadId })}, 'session ' || season.id) END)
      OR ${hasFiguresJob(ownerId, sql`season.id::text`)}`);
  return new Set(rows.map(({ id }) => Number(id)));
}
