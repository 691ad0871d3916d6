import { and, gt, inArray, min, not } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueInBatches } from "./queue-in-batches.js";
import { queueLostRecomputations } from "./recompute.js";
import { hasLostSamples } from "./removed-samples.js";
import { RULES_VERSION } from "./rules-version.js";

/** Number of results that one transaction examines. */
const BATCH = 500;

/**
 * Queues the recomputation of all results computed by older rules, in transactions of limited size. Any number of processes may
 * run this concurrently, because a time frame with a waiting job gets no second job.
 * @param signal stops it after the current transaction
 * @returns number of time frames with results computed by older rules
 */
export async function queueOutdated(ctx: Context, signal?: AbortSignal): Promise<number> {
  await transact(ctx, "queueOutdated", queueLostRecomputations);
  // An index contains the lowest version. Usually all are current.
  const [oldest] = await ctx.queries.select({ version: min(computedData.rulesVersion) }).from(computedData);
  if ((oldest?.version ?? RULES_VERSION) >= RULES_VERSION) return 0;
  const queueNext = async (unit: UnitOfWork, after: number) => {
    const examined = await unit.queries
      .select({ id: computedData.timeframeId, version: computedData.rulesVersion })
      .from(computedData)
      .where(gt(computedData.timeframeId, after))
      .orderBy(computedData.timeframeId)
      .limit(BATCH);
    const older = examined.filter(({ version }) => version < RULES_VERSION).map(({ id }) => id);
    const outdated = await unit.queries
      .select({ id: timeframes.id, ownerId: timeframes.ownerId })
      .from(timeframes)
      .where(and(inArray(timeframes.id, older), not(hasLostSamples)))
      .orderBy(timeframes.id);
    await unit.announce("resultsOutdated", { timeframes: outdated });
    return { queued: outdated.length, last: examined[BATCH - 1]?.id };
  };
  return queueInBatches(ctx, 0, queueNext, signal);
}
