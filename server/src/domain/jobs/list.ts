import { and, desc, eq, lt } from "drizzle-orm";
import type { JobState } from "../../store/schema.js";
import { accounts, jobs } from "../../store/schema.js";
import { accountByUsername } from "../accounts/find.js";
import type { Context } from "../change/context.js";
import { PART_ROWS, type Part, partOf } from "../lists/parts.js";

export interface JobFilters {
  state?: JobState | undefined;
  kind?: string | undefined;
  /** Username of the account charged for the job. */
  account?: string | undefined;
}

/**
 * Returns a part of the list of jobs for the operator, newest first. Omits payloads, which contain secrets.
 * @param before only jobs with lower ids; 0 for all
 * @throws ServiceError `not_found` when the account does not exist
 */
export async function listJobs(
  { queries }: Context,
  { state, kind, account }: JobFilters,
  before: number,
): Promise<Part<object>> {
  const accountId = account === undefined ? undefined : (await accountByUsername(queries, account)).id;
  const rows = await queries
    .select({
      id: jobs.id,
      jobId: jobs.jobId,
      kind: jobs.kind,
      state: jobs.state,
      account: accounts.username,
      failures: jobs.failures,
      losses: jobs.losses,
      details: jobs.details,
      dueAt: jobs.dueAt,
      createdAt: jobs.createdAt,
      finishedAt: jobs.finishedAt,
    })
    .from(jobs)
    .leftJoin(accounts, eq(accounts.id, jobs.chargedTo))
    .where(
      and(
        before === 0 ? undefined : lt(jobs.id, before),
        state && eq(jobs.state, state),
        kind === undefined ? undefined : eq(jobs.kind, kind),
        accountId === undefined ? undefined : eq(jobs.chargedTo, accountId),
      ),
    )
    .orderBy(desc(jobs.id))
    .limit(PART_ROWS);
  return partOf(rows, (row) => ({
    job_id: row.jobId,
    kind: row.kind,
    state: row.state,
    account: row.account,
    failures: row.failures,
    losses: row.losses,
    code: typeof row.details.code === "string" ? row.details.code : null,
    message: typeof row.details.message === "string" ? row.details.message : null,
    created: row.createdAt.toISOString(),
    due: row.finishedAt === null ? row.dueAt.toISOString() : null,
    finished: row.finishedAt?.toISOString() ?? null,
  }));
}
