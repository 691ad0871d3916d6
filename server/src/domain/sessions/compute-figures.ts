import { and, eq, isNull, not, or } from "drizzle-orm";
import { saveProgress } from "../../store/queue/job-lease.js";
import type { Job } from "../../store/queue/job-queue.js";
import { type Turn, TurnEnded } from "../../store/queue/turn.js";
import { computedData, sessions, sessionTimeframes, timeframes } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { stays } from "../computed-data/compute.js";
import { hasResultJob, queueResults } from "../computed-data/queue.js";
import { emitComputedSession } from "../webhooks/session-events.js";
import { figuresUntil, isOfPlayer } from "./figures-of-players.js";
import { selectSessions, toSession } from "./rules.js";

/** Progress of the turns of a job. */
interface Progress {
  /** Athlete of the last turn with the highest id. */
  after?: number;
  /** Whether the figures of a player could not be computed. */
  hasFailed?: boolean;
}

/**
 * Computes the missing and stale figures of a session, then queues those of its time frames. Clients read the table and the
 * season after a match. The results of the time frames, of which each player has several, are mainly for version 1 clients.
 *
 * A turn ends after a few players. The position is saved, because figures beyond the quota of an account are not stored, and those
 * of some players cannot be computed; the next turn would otherwise compute them again.
 * @returns the number of players with figures; undefined if the session no longer exists
 * @throws TurnEnded; after the last turn, an error if the figures of a player could not be computed
 */
export async function computeSessionFigures(
  ctx: Context,
  id: number,
  job: Job,
  turn: Turn,
): Promise<number | undefined> {
  const [row] = await selectSessions(ctx.queries).where(eq(sessions.activityId, id));
  if (row === undefined) return undefined;
  const session = toSession(row);
  const queueOthers = () => transact(ctx, "session figures", (unit) => queueStaleResults(unit, id));
  // The time frames must not depend on an attempt that may fail again.
  if (job.failures + job.losses > 0) await queueOthers();
  try {
    const { after = 0, hasFailed = false } = job.details as Progress;
    const { computed, errors, rest } = await figuresUntil(ctx, session, { job: { turn, after } });
    const other = errors.find((error) => !isOfPlayer(error));
    if (other !== undefined) throw other;
    const failed = hasFailed || errors.length > 0;
    const progress: Progress = rest === null ? {} : { after: rest, hasFailed: failed };
    if (rest !== null || failed) await saveProgress(ctx.queries, job, { ...progress });
    if (rest !== null) throw new TurnEnded();
    if (failed)
      throw errors[0] ?? new Error("The figures of a player could not be computed in an earlier turn.");
    await transact(ctx, "session figures", async (unit) => {
      await queueStaleResults(unit, id);
      await emitComputedSession(unit, session);
    });
    return computed.size;
  } catch (error) {
    if (!(error instanceof TurnEnded)) await queueOthers();
    throw error;
  }
}

async function queueStaleResults(unit: UnitOfWork, sessionId: number): Promise<void> {
  const stale = await unit.queries
    .select({ id: timeframes.id, ownerId: timeframes.ownerId })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .leftJoin(computedData, eq(computedData.timeframeId, timeframes.id))
    .where(
      and(
        eq(sessionTimeframes.sessionId, sessionId),
        or(isNull(computedData.timeframeId), not(stays)),
        not(hasResultJob),
      ),
    )
    .orderBy(timeframes.id);
  await queueResults(unit, stale);
}
