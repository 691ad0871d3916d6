import { fanOut } from "../domain/webhooks/fan-out.js";
import type { JobHandler } from "./handler.js";

const HOUR_MS = 3_600_000;

/**
 * Writes the deliveries of a change with many deliveries. Only the database can make it fail, so it never fails for
 * good.
 */
export const webhookFanOutHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, job) {
    return { ...(await fanOut(ctx, job)) };
  },
};
