import { and, eq, isNull, not, or } from "drizzle-orm";
import { computedData, sessions, sessionTimeframes, timeframes } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { stays } from "../computed-data/compute.js";
import { queueResults } from "../computed-data/queue.js";
import { emitComputedSession } from "../webhooks/session-events.js";
import { figuresUntil } from "./figures-of-players.js";
import { selectSessions, toSession } from "./rules.js";

/**
 * Computes the missing and stale figures of a session, then queues those of its time frames. Table and season are read after a
 * match; the results of the time frames, of which there are several for each player, are mainly for version 1 clients.
 * @returns the number of players with figures; undefined if the session does not exist any more
 */
export async function computeSessionFigures(ctx: Context, id: number): Promise<number | undefined> {
  const [row] = await selectSessions(ctx.queries).where(eq(sessions.activityId, id));
  if (row === undefined) return undefined;
  const session = toSession(row);
  try {
    const { computed, stale } = await figuresUntil(ctx, session, Number.POSITIVE_INFINITY, null);
    if (stale > 0) await transact(ctx, "session figures", (unit) => emitComputedSession(unit, session));
    return computed.size;
  } finally {
    await queueStaleResults(ctx, id);
  }
}

async function queueStaleResults(ctx: Context, sessionId: number): Promise<void> {
  await transact(ctx, "session figures", async (unit) => {
    const stale = await unit.queries
      .select({ id: timeframes.id, ownerId: timeframes.ownerId })
      .from(sessionTimeframes)
      .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
      .leftJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(
        and(eq(sessionTimeframes.sessionId, sessionId), or(isNull(computedData.timeframeId), not(stays))),
      )
      .orderBy(timeframes.id);
    await queueResults(unit, stale);
  });
}
