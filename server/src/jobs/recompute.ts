import { markRest } from "../domain/computed-data/mark-rest.js";
import type { JobHandler } from "./handler.js";

const HOUR_MS = 3_600_000;

/** Marks the computed data that a change has made stale. Only the database can make it fail, so it never fails for good. */
export const recomputeHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, { payload }) {
    await markRest(ctx, Number(payload.recomputation));
    return {};
  },
};
