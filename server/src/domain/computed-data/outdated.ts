import { and, eq, gt, lt, not } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueInBatches } from "./queue-in-batches.js";
import { queueLostRecomputations } from "./recompute.js";
import { hasLostSamples } from "./removed-samples.js";
import { RULES_VERSION } from "./rules-version.js";

/** Number of time frames that one transaction queues. */
const BATCH = 500;

/**
 * Queues the recomputation of all results computed by older rules, in transactions of limited size. Any number of processes may
 * run this concurrently, because a time frame with a waiting job gets no second job.
 * @param signal stops it after the current transaction
 * @returns number of time frames with results computed by older rules
 */
export async function queueOutdated(ctx: Context, signal?: AbortSignal): Promise<number> {
  await transact(ctx, "queueOutdated", queueLostRecomputations);
  const queueNext = async (unit: UnitOfWork, after: number) => {
    const outdated = await unit.queries
      .select({ id: timeframes.id, ownerId: timeframes.ownerId })
      .from(timeframes)
      .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(and(gt(timeframes.id, after), lt(computedData.rulesVersion, RULES_VERSION), not(hasLostSamples)))
      .orderBy(timeframes.id)
      .limit(BATCH);
    await unit.announce("resultsOutdated", { timeframes: outdated });
    return { queued: outdated.length, last: outdated[BATCH - 1]?.id };
  };
  return queueInBatches(ctx, queueNext, signal);
}
