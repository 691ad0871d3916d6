import { and, eq } from "drizzle-orm";
import { type Job as AnyJob, jobColumns } from "../../store/queue/job-queue.js";
import { jobs } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import { ALL_ROLES, type Rule } from "../change/rule.js";

export type Job = Omit<AnyJob, "payload">;

const { payload: _payload, ...columns } = jobColumns;

export const ownJob: Rule<"job", Job> = {
  description: "Any authenticated user, on their own jobs",
  roles: ALL_ROLES,
  async find(ctx, { job }, { queries }) {
    const named = /^\d+$/.test(job) ? eq(jobs.id, Number(job)) : eq(jobs.jobId, job);
    const [found] = await queries
      .select(columns)
      .from(jobs)
      .where(and(named, eq(jobs.accountId, ctx.caller?.id ?? 0)));
    if (found === undefined) throw errors.notFound();
    return found;
  },
};
