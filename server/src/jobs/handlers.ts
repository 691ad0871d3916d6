import type { JobKind } from "../store/queue/job-queue.js";
import { bulkLoadHandler } from "./bulk-load.js";
import { computeHandler } from "./compute.js";
import type { JobHandler } from "./handler.js";
import { mailHandler } from "./mail.js";
import { recomputeHandler } from "./recompute.js";
import { webhookHandler } from "./webhook.js";
import { webhookFanOutHandler } from "./webhook-fan-out.js";

/** One handler for each kind of job. */
export const handlers: Partial<Record<JobKind, JobHandler>> = {
  "bulk-load": bulkLoadHandler,
  mail: mailHandler,
  compute: computeHandler,
  recompute: recomputeHandler,
  webhook: webhookHandler,
  "webhook-fan-out": webhookFanOutHandler,
};
