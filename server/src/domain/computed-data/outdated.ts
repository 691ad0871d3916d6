import { and, eq, lt, not } from "drizzle-orm";
import { DEFINITION_VERSION } from "../../analytics/index.js";
import { computedData, timeframes } from "../../store/schema.js";
import { transact } from "../change.js";
import type { Context } from "../context.js";
import { hasLostSamples } from "./removed-samples.js";

/** Recomputes all data that older rules gave; done at the start of every process that works. */
export async function queueOutdated(ctx: Context): Promise<void> {
  await transact(ctx, "queueOutdated", async (unit) => {
    const outdated = await unit.queries
      .select({ id: timeframes.id, ownerId: timeframes.ownerId })
      .from(timeframes)
      .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(and(lt(computedData.definitionVersion, DEFINITION_VERSION), not(hasLostSamples)));
    await unit.announce("resultsOutdated", { timeframes: outdated });
  });
}
