import { computedDataOf } from "../domain/computed-data/compute.js";
import type { JobHandler } from "./handler.js";

/** Brings the computed data of the time frame in the payload up to date. */
export const computeHandler: JobHandler = {
  maxFailures: 3,
  delayMs: (failure) => 10_000 * 4 ** (failure - 1),
  keptDetails: ({ payload }) => ({ timeframe: payload.timeframe }),
  async run(ctx, { payload, chargedTo }) {
    const timeframe = Number(payload.timeframe);
    const result = await computedDataOf(ctx, timeframe, chargedTo);
    return result === undefined ? { timeframe, deleted: true } : { timeframe };
  },
};
