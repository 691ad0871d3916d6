import { isDeepStrictEqual } from "node:util";
import { DrizzleQueryError } from "drizzle-orm";
import { currentCaller, jobGroupOf } from "../../fairness/callers.js";
import { enqueue, enqueueAll, enqueueOverTimes, type SmallJob } from "../../store/queue/job-queue.js";
import { authorize, type IdsOf, type OperationId, type TargetOf } from "./access.js";
import { AuditWriter } from "./audit.js";
import { BeginAgain } from "./begin-again.js";
import type { Context } from "./context.js";
import { react } from "./effects.js";
import { matchesStrongly, type Tagged } from "./entity-tags.js";
import { errors } from "./errors.js";
import { claimKey, storeResponse } from "./idempotency.js";
import type { ChangeResult } from "./idempotent-request.js";
import type { UnitOfWork } from "./unit-of-work.js";

/**
 * SQLSTATEs of a transaction that was aborted because of another transaction and can be retried
 * (class 40).
 */
const REPEATABLE = new Set([
  /** Deadlock. */
  "40P01",
  /** Serialization failure. */
  "40001",
]);
const MAX_TRIES = 5;

const isRepeatable = (error: unknown) =>
  error instanceof DrizzleQueryError &&
  REPEATABLE.has((error.cause as { code?: string } | undefined)?.code ?? "");

/**
 * Runs `work` in a transaction with audit rows and jobs, outside operations. Used by operator commands and
 * registration. Retries the work when the database aborts the transaction because of a deadlock or a serialization
 * failure, or when the work throws `BeginAgain`.
 * @param by account for the audit log, when the request is not authenticated by a token
 */
export async function transact<T>(
  ctx: Context,
  operation: string,
  work: (unit: UnitOfWork) => Promise<T>,
  by: number | null = ctx.caller?.id ?? null,
): Promise<T> {
  let first: BeginAgain["first"] | undefined;
  for (let tries = 1; ; tries++) {
    try {
      await first?.(ctx.queries);
      return await transactOnce(ctx, operation, work, by);
    } catch (error) {
      const beginsAgain = error instanceof BeginAgain;
      if (!beginsAgain && !isRepeatable(error)) throw error;
      if (tries === MAX_TRIES) throw beginsAgain ? errors.concurrentChanges() : error;
      if (beginsAgain) first = error.first;
    }
  }
}

async function transactOnce<T>(
  ctx: Context,
  operation: string,
  work: (unit: UnitOfWork) => Promise<T>,
  by: number | null,
): Promise<T> {
  let added = false;
  const committed: (() => void)[] = [];
  const result = await ctx.queries.transaction(async (queries) => {
    const now = ctx.clock.now();
    const audit = new AuditWriter(queries, ctx.config, {
      now,
      accountId: by,
      chargedTo: by ?? currentCaller().chargedTo ?? null,
      operation,
      requestId: ctx.requestId,
      operator: ctx.operator ?? null,
    });
    committed.push(() => audit.committed());
    const { trace } = ctx;
    const jobGroup = jobGroupOf(currentCaller(), ctx.serverKey);
    const charged = <J extends SmallJob>(job: J): J => ({
      ...job,
      chargedGroup: jobGroup,
      ...(trace === undefined ? {} : { payload: { ...job.payload, trace } }),
    });
    const unit: UnitOfWork = {
      queries,
      now,
      config: ctx.config,
      jobGroup,
      ...(trace === undefined ? {} : { trace }),
      announce: (name, event) => react(unit, name, event),
      audit: (entity, id, before, after) =>
        audit.add(entity, [
          { id, ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) },
        ]),
      auditAll: (entity, changes) => audit.add(entity, changes),
      wakeWorkers() {
        added = true;
      },
      afterCommit(call) {
        committed.push(call);
      },
      async enqueue(job) {
        added = true;
        return enqueue(queries, now, charged(job));
      },
      async enqueueOverTimes(jobs) {
        added ||= jobs.length > 0;
        await enqueueOverTimes(queries, now, jobs.map(charged));
      },
      async enqueueAll(jobs) {
        added ||= jobs.length > 0;
        await enqueueAll(queries, now, jobs.map(charged));
      },
    };
    const done = await work(unit);
    await audit.finish();
    return done;
  });
  for (const call of committed) call();
  if (added) ctx.jobsAdded();
  return result;
}

/**
 * Locks the object of the path, and checks the caller's right on it and the token again in the transaction of the change. Both were
 * checked when the headers arrived; the body may have arrived a minute later. The caller is read after any wait for a lock. A caller
 * who has changed replaces the one in the context, for this check and for the work of the change.
 * @throws ServiceError `unauthenticated`, `forbidden`, `not_found`
 */
export async function authorizeAgain<Op extends OperationId>(
  ctx: Context,
  operation: Op,
  ids: IdsOf<Op>,
  { queries }: Pick<UnitOfWork, "queries">,
): Promise<TargetOf<Op>> {
  const lookup = { queries, lock: true };
  const target = await authorize(ctx, operation, ids, lookup);
  if (ctx.presentCaller === undefined) return target;
  const caller = await ctx.presentCaller(queries);
  if (caller === undefined) throw errors.unauthenticated(true);
  if (isDeepStrictEqual(caller, ctx.caller)) return target;
  ctx.caller = caller;
  return authorize(ctx, operation, ids, lookup);
}

/**
 * Runs the change of an operation. One transaction claims the idempotency key, locks the object of the path, rechecks the
 * caller's right on it, the token and `If-Match`, does the work, and writes its audit rows and jobs.
 * @throws AlreadyDone when a request with the idempotency key has made the change
 * @param view entity tag of the object in the response to GET, for `If-Match`; absent for paths without a GET
 */
export async function change<Op extends OperationId, T extends ChangeResult>(
  ctx: Context,
  operation: Op,
  ids: IdsOf<Op>,
  work: (unit: UnitOfWork, target: TargetOf<Op>) => Promise<T>,
  view?: (unit: UnitOfWork, target: TargetOf<Op>) => Promise<Tagged> | Tagged,
): Promise<T> {
  return transact(ctx, operation, async (unit) => {
    await claimKey(ctx, unit);
    const target = await authorizeAgain(ctx, operation, ids, unit);
    if (ctx.ifMatch !== undefined && view !== undefined) requireTag(ctx, await view(unit, target));
    const result = await work(unit, target);
    await storeResponse(ctx, unit, result);
    return result;
  });
}

/**
 * Checks `If-Match`. `change` does so in its transaction; also call it before expensive work outside the transaction.
 * @throws ServiceError `precondition_failed`
 */
export function requireTag({ ifMatch }: Context, { etag }: Tagged): void {
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag)) throw errors.preconditionFailed();
}
