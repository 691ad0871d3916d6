import { attemptDelivery } from "../domain/webhooks/attempt.js";
import { type JobHandler, RetryLater } from "./handler.js";

const HOUR_MS = 3_600_000;

/**
 * Calls a webhook. The delivery records its attempts and the time of the next; the job only triggers it. A worker
 * that stops during a call may not have delivered, so lost workers never fail the job.
 */
export const webhookHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  // For errors not caused by the receiver: the database, or a server key that cannot decrypt the secret.
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, job) {
    const next = await attemptDelivery(ctx, job);
    if (next !== undefined) throw new RetryLater(next.at, next.problem);
    return {};
  },
};
