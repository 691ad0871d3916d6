import { attemptDelivery } from "../domain/webhooks/attempt.js";
import { type JobHandler, RetryLater } from "./handler.js";

const HOUR_MS = 3_600_000;

/**
 * Calls a webhook. The delivery knows how often it was tried and when to try next; the job only carries it. A worker
 * that dies in the middle has perhaps not delivered, so the job is never given up for that.
 */
export const webhookHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  // Of an error that is not the receiver's: the database, or a server key that cannot open the secret.
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, job) {
    const next = await attemptDelivery(ctx, job);
    if (next !== undefined) throw new RetryLater(next.at, next.problem);
    return {};
  },
};
