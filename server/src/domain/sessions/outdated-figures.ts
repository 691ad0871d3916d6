import { and, asc, eq, gt, inArray, not, sql } from "drizzle-orm";
import { activities, sessionFigures, sessions } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueSessionFigures } from "../computed-data/queue.js";
import { queueInBatches } from "../computed-data/queue-in-batches.js";
import { FIGURES_VERSION } from "./figures-inputs.js";

/** Number of sessions that one transaction examines. Each can have a hundred rows of figures, and usually all are current. */
const BATCH = 100;

/**
 * Queues the computation of all sessions with figures that other rules or other columns produced, because a season shows only
 * current figures. Figures that lack samples remain, and the computation records that they are current.
 * @param signal stops it after the current transaction
 * @returns number of these sessions
 */
export function queueOutdatedFigures(ctx: Context, signal?: AbortSignal): Promise<number> {
  const queueNext = async (unit: UnitOfWork, after: number) => {
    const examined = await unit.queries
      .select({ id: sessions.activityId })
      .from(sessions)
      .where(gt(sessions.activityId, after))
      .orderBy(asc(sessions.activityId))
      .limit(BATCH);
    const ids = examined.map(({ id }) => id);
    const outdated = await unit.queries
      .selectDistinct({ id: activities.id, ownerId: activities.ownerId })
      .from(sessionFigures)
      .innerJoin(activities, eq(activities.id, sessionFigures.sessionId))
      .where(
        and(
          inArray(sessionFigures.sessionId, ids),
          not(sql`starts_with(${sessionFigures.inputs}, ${`${FIGURES_VERSION}:`})`),
        ),
      )
      .orderBy(asc(activities.id));
    await queueSessionFigures(unit, outdated);
    return { queued: outdated.length, last: ids[BATCH - 1] };
  };
  return queueInBatches(ctx, queueNext, signal);
}
