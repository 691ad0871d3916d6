import { and, asc, eq, gt, not, sql } from "drizzle-orm";
import { activities, sessionFigures } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueSessionFigures } from "../computed-data/queue.js";
import { queueInBatches } from "../computed-data/queue-in-batches.js";
import { FIGURES_VERSION } from "./figures-inputs.js";

/** Number of sessions that one transaction queues. */
const BATCH = 1_000;

/**
 * Queues the computation of all sessions with figures that other rules or other columns produced, because a season shows only
 * current figures. Figures that lack samples remain, and the computation records that they are current.
 * @param signal stops it after the current transaction
 * @returns number of these sessions
 */
export function queueOutdatedFigures(ctx: Context, signal?: AbortSignal): Promise<number> {
  const queueNext = async (unit: UnitOfWork, after: number) => {
    const outdated = await unit.queries
      .selectDistinct({ id: activities.id, ownerId: activities.ownerId })
      .from(sessionFigures)
      .innerJoin(activities, eq(activities.id, sessionFigures.sessionId))
      .where(
        and(
          gt(sessionFigures.sessionId, after),
          not(sql`starts_with(${sessionFigures.inputs}, ${`${FIGURES_VERSION}:`})`),
        ),
      )
      .orderBy(asc(activities.id))
      .limit(BATCH);
    await queueSessionFigures(unit, outdated);
    return outdated;
  };
  return queueInBatches(ctx, BATCH, queueNext, signal);
}
