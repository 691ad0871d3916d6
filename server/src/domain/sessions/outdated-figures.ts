import { asc, inArray, sql } from "drizzle-orm";
import { activities, sessionFigures } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueSessionFigures } from "../computed-data/queue.js";
import { queueInBatches } from "../computed-data/queue-in-batches.js";
import { FIGURES_VERSION } from "./figures-inputs.js";

/** Number of figures that one transaction examines. A session can have thousands, and usually all are current. */
const BATCH = 1_000;

const isOutdated = sql<boolean>`NOT starts_with(${sessionFigures.inputs}, ${`${FIGURES_VERSION}:`})`;

/** Key of a row of figures. */
type Position = Pick<typeof sessionFigures.$inferSelect, "sessionId" | "athleteId" | "period">;

/**
 * Queues the computation of all sessions with figures that other rules or other columns produced, because a season shows only
 * current figures. Figures that lack samples remain, and the computation records that they are current.
 * @param signal stops it after the current transaction
 * @returns number of these sessions
 */
export function queueOutdatedFigures(ctx: Context, signal?: AbortSignal): Promise<number> {
  const queueNext = async (unit: UnitOfWork, after: Position) => {
    const { sessionId, athleteId, period } = sessionFigures;
    const examined = await unit.queries
      .select({ sessionId, athleteId, period, isOutdated })
      .from(sessionFigures)
      .where(
        sql`(${sessionId}, ${athleteId}, ${period}) > (${after.sessionId}::bigint, ${after.athleteId}::bigint, ${after.period}::text)`,
      )
      .orderBy(asc(sessionId), asc(athleteId), asc(period))
      .limit(BATCH);
    const ids = new Set(examined.filter((one) => one.isOutdated).map((one) => one.sessionId));
    const outdated = await unit.queries
      .select({ id: activities.id, ownerId: activities.ownerId })
      .from(activities)
      .where(inArray(activities.id, [...ids]))
      .orderBy(asc(activities.id));
    await queueSessionFigures(unit, outdated);
    const last = examined[BATCH - 1];
    // A queued session needs no further examination.
    if (last !== undefined && ids.has(last.sessionId)) last.athleteId = Number.MAX_SAFE_INTEGER;
    return { queued: outdated.length, last };
  };
  return queueInBatches(ctx, { sessionId: 0, athleteId: 0, period: "" }, queueNext, signal);
}
