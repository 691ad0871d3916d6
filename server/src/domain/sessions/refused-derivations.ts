/** Derivations that a limit has prevented. Table, files, season and details of a session read them here. */
import { and, eq, gt, inArray, lt } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { activities, refusedDerivations, sessions, squadMembers } from "../../store/schema.js";
import { ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { derivationInputs } from "./derivation-inputs.js";
import { queueDerivation, spanOfChange } from "./derive-sessions.js";
import { MAX_PLAYERS } from "./players.js";
import type { Session } from "./rules.js";
import { wantedTimeframes } from "./wanted-timeframes.js";

/**
 * Records that a limit has prevented the derivation of a session.
 * @param kept numbers of the remaining time frames, which all apply, by athlete
 */
export async function recordRefusal(
  { queries }: UnitOfWork,
  session: Session,
  kept: ReadonlyMap<number, number>,
): Promise<void> {
  const athletes = await incompleteIn(queries, session, kept);
  await queries
    .insert(refusedDerivations)
    .values({ sessionId: session.id, athletes })
    .onConflictDoUpdate({ target: refusedDerivations.sessionId, set: { athletes } });
}

/** Call it when the time frames of a session have been derived. */
export async function forgetRefusal({ queries }: UnitOfWork, { id }: Session): Promise<void> {
  await queries.delete(refusedDerivations).where(eq(refusedDerivations.sessionId, id));
}

/** The players with incomplete time frames, by session. Sessions without them are absent. */
export async function incompletePlayers(
  queries: Queries,
  sessionIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await queries
    .select()
    .from(refusedDerivations)
    .where(inArray(refusedDerivations.sessionId, [...sessionIds]));
  return new Map(rows.map(({ sessionId, athletes }) => [sessionId, new Set(athletes)]));
}

/** Derives the sessions of these activities again if a limit has prevented it, because there may be room now. */
export async function deriveRefusedAgain(unit: UnitOfWork, activityIds: readonly number[]): Promise<void> {
  const refused = await unit.queries
    .select({
      sessionId: sessions.activityId,
      ownerId: activities.ownerId,
      startTime: sessions.startTime,
      endTime: sessions.endTime,
    })
    .from(refusedDerivations)
    .innerJoin(sessions, eq(sessions.activityId, refusedDerivations.sessionId))
    .innerJoin(activities, eq(activities.id, sessions.activityId))
    .where(inArray(refusedDerivations.sessionId, [...new Set(activityIds)]))
    // Two transactions queue the jobs in the same order, so they do not wait for each other.
    .orderBy(refusedDerivations.sessionId);
  for (const { sessionId, ownerId, ...span } of refused)
    await queueDerivation(unit, { ownerId, sessionId, ...spanOfChange([span]) });
}

/** The players who should have more time frames. In a session that is too large, all players up to the maximum. */
async function incompleteIn(
  queries: Queries,
  session: Session,
  kept: ReadonlyMap<number, number>,
): Promise<number[]> {
  const inputs = await derivationInputs(queries, session).catch((error: unknown) => {
    if (error instanceof ServiceError && error.kind === "conflict") return undefined;
    throw error;
  });
  if (inputs === undefined) return [...new Set([...kept.keys(), ...(await someMembers(queries, session))])];
  const incomplete: number[] = [];
  for (const player of inputs.players) {
    let left = kept.get(player.athleteId) ?? 0;
    for await (const _ of wantedTimeframes(inputs, [player])) {
      if (--left >= 0) continue;
      incomplete.push(player.athleteId);
      break;
    }
  }
  return incomplete;
}

async function someMembers(queries: Queries, { squadId, startTime, endTime }: Session): Promise<number[]> {
  const rows = await queries
    .selectDistinct({ id: squadMembers.athleteId })
    .from(squadMembers)
    .where(
      and(
        eq(squadMembers.squadId, squadId),
        lt(squadMembers.startTime, endTime),
        gt(squadMembers.endTime, startTime),
      ),
    )
    .limit(MAX_PLAYERS);
  return rows.map(({ id }) => id);
}
