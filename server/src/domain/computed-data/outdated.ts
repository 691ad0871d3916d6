import { METRICS_VERSION } from "asi-convert/metrics";
import { and, eq, lt, not } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import { transact } from "../change.js";
import type { Context } from "../context.js";
import { hasLostSamples } from "./removed-samples.js";

/** Queues all data from older rules for recomputation. Every worker calls this at its start. */
export async function queueOutdated(ctx: Context): Promise<void> {
  await transact(ctx, "queueOutdated", async (unit) => {
    const outdated = await unit.queries
      .select({ id: timeframes.id, ownerId: timeframes.ownerId })
      .from(timeframes)
      .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(and(lt(computedData.definitionVersion, METRICS_VERSION), not(hasLostSamples)));
    await unit.announce("resultsOutdated", { timeframes: outdated });
  });
}
