import { and, eq, isNull, not, or } from "drizzle-orm";
import { computedData, sessions, sessionTimeframes, timeframes } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { stays } from "../computed-data/compute.js";
import { hasResultJob, queueResults } from "../computed-data/queue.js";
import { emitComputedSession } from "../webhooks/session-events.js";
import { figuresUntil } from "./figures-of-players.js";
import { selectSessions, toSession } from "./rules.js";

/**
 * Computes the missing and stale figures of a session, then queues those of its time frames. Clients read the table and the
 * season after a match. The results of the time frames, of which each player has several, are mainly for version 1 clients.
 * @param isRepeated whether an earlier attempt has failed: the time frames must not depend on this one
 * @returns the number of players with figures; undefined if the session no longer exists
 */
export async function computeSessionFigures(
  ctx: Context,
  id: number,
  isRepeated: boolean,
): Promise<number | undefined> {
  const [row] = await selectSessions(ctx.queries).where(eq(sessions.activityId, id));
  if (row === undefined) return undefined;
  const session = toSession(row);
  const queueOthers = () => transact(ctx, "session figures", (unit) => queueStaleResults(unit, id));
  if (isRepeated) await queueOthers();
  try {
    const { computed } = await figuresUntil(ctx, session, { isJob: true });
    await transact(ctx, "session figures", async (unit) => {
      await queueStaleResults(unit, id);
      await emitComputedSession(unit, session);
    });
    return computed.size;
  } catch (error) {
    await queueOthers();
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
