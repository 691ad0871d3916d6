import { and, eq, sql } from "drizzle-orm";
import { jobs } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import {
  type Memberships,
  nextReaders,
  type Reader,
  recordReaders,
  type SessionIds,
  sessionsDuring,
  sessionsOfMembers,
  sessionsWithTimesOf,
  theseSessions,
} from "./record.js";

/** Any number of sessions with changed figures. */
export type ChangedFigures =
  | Memberships
  /** `fromMs` is inclusive, `toMs` is exclusive. */
  | { ownerId: number; fromMs: number; toMs: number }
  /** Sessions that a later query would not find, and sessions that have changed themselves. */
  | { sessionIds: readonly number[] };

/** Number of changes that one transaction records, because others wait for it. */
const RECORDED_AT_A_TIME = 200;

const KIND = "record-figures";

const BEGIN: Reader = { accountId: 0, sessionId: 0 };

function sessionsOf(changed: ChangedFigures): SessionIds {
  if ("sessionIds" in changed) return theseSessions(changed.sessionIds);
  if ("athleteId" in changed) return sessionsOfMembers([changed]);
  const { ownerId, fromMs, toMs } = changed;
  return sessionsDuring(ownerId, { startTime: new Date(fromMs), endTime: new Date(toMs) });
}

const kindOf = (changed: ChangedFigures) => ("sessionIds" in changed ? "session" : "figures");

/** Records the changes if there are few. @returns whether they were recorded */
async function recordFew(
  unit: UnitOfWork,
  ids: SessionIds,
  kind: "session" | "figures" = "figures",
): Promise<boolean> {
  const readers = await nextReaders(unit, ids, BEGIN, RECORDED_AT_A_TIME + 1);
  if (readers.length > RECORDED_AT_A_TIME) return false;
  await recordReaders(unit, kind, readers);
  return true;
}

/** Records that figures have changed; a job records them if there are many. */
export async function recordFigures(unit: UnitOfWork, changed: ChangedFigures): Promise<void> {
  if (!(await recordFew(unit, sessionsOf(changed), kindOf(changed)))) await queueFigures(unit, changed);
}

/** Records that the figures of players have changed for managers. */
export async function recordFiguresOfMembers(
  unit: UnitOfWork,
  members: readonly Required<Memberships>[],
): Promise<void> {
  if (members.length === 0 || (await recordFew(unit, sessionsOfMembers(members)))) return;
  const byKey = new Map(
    members.map(({ athleteId, managerId }) => [`${athleteId} ${managerId}`, { athleteId, managerId }]),
  );
  // Write in the order of the keys, because concurrent changes would otherwise deadlock.
  for (const [, one] of [...byKey].sort()) await queueFigures(unit, one);
}

/**
 * Records the sessions of an athlete who is being deleted, because their periods and figures no longer contain the
 * athlete. Call it before the memberships and periods are deleted.
 */
export async function recordSessionsOfDeleted(unit: UnitOfWork, athleteId: number): Promise<void> {
  const { rows } = await unit.queries.execute<{ id: string }>(
    sql`${sessionsOfMembers([{ athleteId }])} UNION ${sessionsWithTimesOf(athleteId)}`,
  );
  await recordFigures(unit, { sessionIds: [...new Set(rows.map(({ id }) => Number(id)))] });
}

/** Adds a job. If the same job is waiting, it must not start before this transaction has ended. */
export async function queueFigures(unit: UnitOfWork, changed: ChangedFigures): Promise<void> {
  if ("sessionIds" in changed) {
    await unit.enqueueAll([{ kind: KIND, payload: { ...changed } }]);
    return;
  }
  const uniqueKey = JSON.stringify(Object.entries(changed).sort());
  const chargedTo = "athleteId" in changed ? changed.athleteId : changed.ownerId;
  for (let isHeld = false; !isHeld; ) {
    await unit.enqueueAll([{ kind: KIND, payload: { ...changed }, uniqueKey, chargedTo }]);
    const held = await unit.queries
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.kind, KIND), eq(jobs.uniqueKey, uniqueKey), sql`${jobs.state} = 'PENDING'`))
      .for("update");
    isHeld = held.length > 0;
  }
}

/** The remaining work of a job of `recordFigures`. */
export type FiguresLeft = ChangedFigures & { after?: Reader };

/** Records the next changes of a job. @returns the number of changes, and the remaining work */
export async function recordNext(
  unit: UnitOfWork,
  { after = BEGIN, ...changed }: FiguresLeft,
): Promise<{ recorded: number; left: FiguresLeft | undefined }> {
  const readers = await nextReaders(unit, sessionsOf(changed), after, RECORDED_AT_A_TIME);
  await recordReaders(unit, kindOf(changed), readers);
  const last = readers.length === RECORDED_AT_A_TIME ? readers.at(-1) : undefined;
  return { recorded: readers.length, left: last && { ...changed, after: last } };
}
