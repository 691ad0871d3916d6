import { and, eq, ne, sql } from "drizzle-orm";
import { isLeased, isWaiting, type Job } from "../../store/queue/job-queue.js";
import { figuresClaims, jobs, sessions } from "../../store/schema.js";
import type { Context } from "../change/context.js";

/** State of a job that computes the figures of a session. */
export type Claim = "runs" | "waits" | "is superseded";

/**
 * Claims a session for a job, so that two jobs do not compute its figures at the same time. A change adds a job even while
 * another one runs, because the running job may have read its inputs before the change.
 * @returns whether the job runs, waits until the running one has ended, or ends because another one waits already
 */
export async function claimFigures(
  { queries }: Pick<Context, "queries">,
  sessionId: number,
  job: Pick<Job, "id" | "chargedTo">,
): Promise<Claim> {
  return queries.transaction(async (tx) => {
    await tx.execute(sql`
      INSERT INTO ${figuresClaims} (session_id, job_id) SELECT activity_id, ${job.id}::bigint FROM ${sessions}
      WHERE activity_id = ${sessionId} ON CONFLICT DO NOTHING`);
    const ofSession = eq(figuresClaims.sessionId, sessionId);
    const [claim] = await tx.select().from(figuresClaims).where(ofSession).for("update");
    // Without a session, there is nothing to compute.
    if (claim === undefined || claim.jobId === job.id) return "runs";
    // Use a separate statement, which sees the state after the row was locked.
    const isRunning = (await tx.$count(jobs, and(eq(jobs.id, claim.jobId), isLeased))) > 0;
    if (!isRunning) {
      await tx.update(figuresClaims).set({ jobId: job.id }).where(ofSession);
      return "runs";
    }
    const isOther = and(
      eq(jobs.kind, "session-figures"),
      eq(jobs.chargedTo, job.chargedTo),
      isWaiting,
      // A job that has failed may fail again.
      eq(jobs.failures, 0),
      sql`${jobs.payload}->>'session' = ${String(sessionId)}`,
      ne(jobs.id, job.id),
    );
    return (await tx.$count(jobs, isOther)) > 0 ? "is superseded" : "waits";
  });
}
