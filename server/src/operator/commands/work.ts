import { listJobs } from "../../domain/jobs/list.js";
import { retryJob, revokeJob } from "../../domain/jobs/operate.js";
import { disableWebhook, listAllWebhooks } from "../../domain/webhooks/operate.js";
import { JOB_KINDS } from "../../store/queue/job-queue.js";
import { after, flag, idOf, oneOf, optionalInteger, optionalText, text } from "./arguments.js";
import type { Commands } from "./outcome.js";

const STATES = ["PENDING", "STARTED", "SUCCESS", "FAILURE", "RETRY", "REVOKED"] as const;

/** Operator commands for jobs and webhooks. */
export const workCommands = {
  async "job list"(ctx, args) {
    const filters = {
      state: oneOf(args, "state", STATES),
      kind: oneOf(args, "kind", JOB_KINDS),
      account: optionalText(args, "account"),
    };
    return { ...(await listJobs(ctx, filters, after(args))) };
  },

  async "job retry"(ctx, args) {
    const { jobId, kind, state } = await retryJob(ctx, text(args, "jobId"));
    return { job_id: jobId, kind, state };
  },

  async "job revoke"(ctx, args) {
    const { before, after } = await revokeJob(ctx, text(args, "jobId"));
    return { job_id: after.jobId, kind: after.kind, was: before.state, state: after.state };
  },

  async "webhook list"(ctx, args) {
    const filters = {
      account: optionalText(args, "account"),
      activity: optionalInteger(args, "activity"),
      disabled: flag(args, "disabled"),
    };
    return { ...(await listAllWebhooks(ctx, filters, after(args))) };
  },

  async "webhook disable"(ctx, args) {
    const { id, disabledAt } = await disableWebhook(ctx, idOf(args, "id"));
    return { id, disabled: disabledAt?.toISOString() };
  },
} satisfies Commands;
