import { rememberedOf } from "../domain/bulk-load/repeated.js";
import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { emitAccountEvent } from "../domain/webhooks/account-events.js";
import { unleased, whileLeaseHeld } from "../store/queue/job-lease.js";
import { type Job, type JobKind, NOBODY } from "../store/queue/job-queue.js";
import { jobs } from "../store/schema.js";
import { handlers } from "./handlers.js";

/** Returns the values of the columns of a finished job. They erase its payload and its body. */
export const finished = (state: "SUCCESS" | "FAILURE", details: Record<string, unknown>, now: Date) =>
  ({
    state,
    details,
    payload: state === "SUCCESS" ? rememberedOf(details) : {},
    body: null,
    finishedAt: now,
    ...unleased,
  }) as const;

type EndedJob = Pick<Job, "id" | "jobId" | "kind" | "chargedTo" | "chargedGroup" | "leaseToken">;
type End = ReturnType<typeof finished> & { failures?: number; losses?: number };

/**
 * Writes the outcome of a job if the worker holds the lease, and notifies the webhooks of its account.
 * @returns whether the lease was held
 */
export async function endJob(ctx: Context, job: EndedJob, values: End): Promise<boolean> {
  const { chargedTo } = job;
  const handler = handlers[job.kind as JobKind];
  const isReported = handler?.isReported === true;
  return transact(ctx, "end job", async (unit) => {
    const ended = await unit.queries
      .update(jobs)
      .set(values)
      .where(whileLeaseHeld(job))
      .returning({ id: jobs.id });
    if (ended.length > 0 && isReported && chargedTo !== null && chargedTo !== NOBODY) {
      const { state, details } = values;
      const code = typeof details.code === "string" ? details.code : null;
      const none = { stored: null, known: null, refused: null };
      const samples = (state === "SUCCESS" ? handler.counts?.(details) : undefined) ?? none;
      // Charge the webhook calls to the group of the job, not to the group of the service.
      const asCaller = { ...unit, jobGroup: job.chargedGroup };
      await emitAccountEvent(asCaller, chargedTo, "job.finished", {
        job: job.jobId,
        state,
        code,
        ...samples,
      });
    }
    return ended.length > 0;
  });
}
