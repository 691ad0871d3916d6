import { sql } from "drizzle-orm";
import { groupBy } from "../change/group-by.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueExactly, queueRecordings, RECORDED_AT_A_TIME, type Recording } from "./queue.js";
import {
  type FoundSessions,
  type Memberships,
  nextReaders,
  nextSessions,
  type Reader,
  recordReaders,
  SESSIONS_AT_A_TIME,
  type SessionIds,
  sessionsDuring,
  sessionsOfMembers,
  sessionsWithTimesOf,
  theseSessions,
} from "./session-readers.js";

/** Whether sessions have changed, or only their figures. */
type Kind = "session" | "figures";

/** Any number of sessions whose figures have changed, found when a job runs. */
type Found =
  | Memberships
  /** `fromMs` is inclusive, `toMs` is exclusive. */
  | { ownerId: number; fromMs: number; toMs: number };

/** Any number of changed sessions. */
export type ChangedSessions = Found | { sessionIds: readonly number[]; kind: Kind };

const BEGIN: Reader = { accountId: 0, sessionId: 0 };

function sessionsOf(changed: ChangedSessions): SessionIds {
  if ("sessionIds" in changed) return theseSessions(changed.sessionIds);
  if ("athleteId" in changed) return sessionsOfMembers([changed]);
  const { ownerId, fromMs, toMs } = changed;
  return sessionsDuring(ownerId, { startTime: new Date(fromMs), endTime: new Date(toMs) });
}

const kindOf = (changed: ChangedSessions): Kind => ("sessionIds" in changed ? changed.kind : "figures");

/** Records the changes if there are few. @returns whether they were recorded */
async function recordFew(unit: UnitOfWork, ids: SessionIds, kind: Kind = "figures"): Promise<boolean> {
  const found = await nextSessions(unit, ids, 0, SESSIONS_AT_A_TIME + 1);
  const { readers, next } = await nextReaders(unit, found, BEGIN, RECORDED_AT_A_TIME + 1);
  if (next !== undefined) return false;
  await recordReaders(unit, kind, readers);
  return true;
}

/** The job that records the changes. */
const recordingOf = (changed: Found): Recording => ({
  payload: { ...changed },
  chargedTo: "athleteId" in changed ? changed.athleteId : changed.ownerId,
});

/** Records that figures have changed; a job records them if there are many. */
export async function recordFigures(unit: UnitOfWork, changed: Found): Promise<void> {
  if (!(await recordFew(unit, sessionsOf(changed)))) await queueFigures(unit, changed);
}

export const queueFigures = (unit: UnitOfWork, changed: Found): Promise<void> =>
  queueRecordings(unit, [recordingOf(changed)]);

/** Records that the figures of players have changed for managers. @param members each pair once */
export async function recordFiguresOfMembers(
  unit: UnitOfWork,
  members: readonly Required<Memberships>[],
): Promise<void> {
  if (members.length === 0 || (await recordFew(unit, sessionsOfMembers(members)))) return;
  await queueRecordings(
    unit,
    members.map(({ athleteId, managerId }) => recordingOf({ athleteId, managerId })),
  );
}

/** Records that many sessions, or only their figures, have changed. A job for each owner records them if they have many readers. */
export async function recordSessionsOf(
  unit: UnitOfWork,
  kind: Kind,
  sessions: readonly { id: number; ownerId: number }[],
): Promise<void> {
  const ids = sessions.map(({ id }) => id);
  if (ids.length === 0 || (await recordFew(unit, theseSessions(ids), kind))) return;
  await queueRecordings(
    unit,
    [...groupBy(sessions, ({ ownerId }) => ownerId)].map(([chargedTo, own]) => ({
      // The same order gives the same job if the same sessions change again.
      payload: { sessionIds: own.map(({ id }) => id).sort((a, b) => a - b), kind },
      chargedTo,
    })),
  );
}

/**
 * Records the sessions of an athlete who is being deleted, because their periods and figures no longer contain the
 * athlete. Call it before the memberships and periods are deleted.
 */
export async function recordSessionsOfDeleted(unit: UnitOfWork, athleteId: number): Promise<void> {
  const { rows } = await unit.queries.execute<{ id: string }>(
    sql`${sessionsOfMembers([{ athleteId }])} UNION ${sessionsWithTimesOf(athleteId)}`,
  );
  const sessionIds = [...new Set(rows.map(({ id }) => Number(id)))];
  const kind = "session";
  if (!(await recordFew(unit, theseSessions(sessionIds), kind)))
    await queueExactly(unit, [{ sessionIds, kind }]);
}

/** Number of sessions that one statement finds for a job, because it reads thousands to return a few. */
const FOUND_AT_A_TIME = 1_000;

/** The remaining work of a job. `found` is kept during a turn. */
export type SessionsLeft = ChangedSessions & { after?: Reader; found?: FoundSessions };

/** Records the next changes of a job. @returns the number of changes, and the remaining work */
export async function recordNextSessions(
  unit: UnitOfWork,
  { after = BEGIN, found: known, ...changed }: SessionsLeft,
): Promise<{ recorded: number; left: SessionsLeft | undefined }> {
  const { sessionId } = after;
  const ids = known?.ids.filter((id) => id >= sessionId) ?? [];
  const found =
    known?.isAll || ids.length >= SESSIONS_AT_A_TIME
      ? { isAll: false, ...known, ids }
      : await nextSessions(unit, sessionsOf(changed), sessionId, FOUND_AT_A_TIME);
  const { readers, next } = await nextReaders(unit, found, after, RECORDED_AT_A_TIME);
  await recordReaders(unit, kindOf(changed), readers);
  return { recorded: readers.length, left: next && { ...changed, after: next, found } };
}
