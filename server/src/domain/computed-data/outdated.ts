import { METRICS_VERSION } from "asi-convert/metrics";
import { and, eq, gt, lt, not } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import { transact } from "../change.js";
import type { Context } from "../context.js";
import { hasLostSamples } from "./removed-samples.js";

/** Time frames that one transaction queues: there may be millions, and a statement has a time limit. */
const BATCH = 5_000;

/** Queues all data from older rules for recomputation. Every worker calls this at its start. */
export async function queueOutdated(ctx: Context, batch = BATCH): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) after = await queueNext(ctx, after, batch);
}

/** @returns the id of the last time frame of a whole batch; undefined after the last one */
function queueNext(ctx: Context, after: number, batch: number): Promise<number | undefined> {
  return transact(ctx, "queueOutdated", async (unit) => {
    const outdated = await unit.queries
      .select({ id: timeframes.id, ownerId: timeframes.ownerId })
      .from(timeframes)
      .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(
        and(
          gt(timeframes.id, after),
          lt(computedData.definitionVersion, METRICS_VERSION),
          not(hasLostSamples),
        ),
      )
      .orderBy(timeframes.id)
      .limit(batch);
    await unit.announce("resultsOutdated", { timeframes: outdated });
    return outdated.length < batch ? undefined : outdated.at(-1)?.id;
  });
}
