import { randomUUID } from "node:crypto";
import { and, asc, eq, inArray, isNull, lte, notInArray, or, sql } from "drizzle-orm";
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/context.js";
import { isLeased, isWaiting, type Job, type JobKind } from "../store/queue.js";
import { jobs } from "../store/schema.js";
import { JobFailed, RetryLater } from "./handler.js";
import { handlers } from "./handlers.js";
import type { JobMetrics, JobOutcome } from "./metrics.js";

/** A job whose workers died so often fails. */
const MAX_LOSSES = 3;

/** Work that shares hands: one lane's slow jobs do not hold up another lane. */
export interface Lane {
  kinds: readonly JobKind[];
  /** Jobs that this process runs at a time. */
  concurrency: number;
  /** Of them, those that call one receiver. */
  perReceiver?: number;
}

export interface Worker {
  /** Looks for work at once: jobs were added. */
  wake(): void;
  /** Runs every job that is due, and those that they add, and returns when none is left. */
  drain(): Promise<void>;
  /** Takes no more jobs and waits for those under way. */
  stop(): Promise<void>;
}

/**
 * Runs jobs. A job is leased by changing its row, so any number of workers share the table without a queue server, and
 * the service's own clock decides what is due.
 * @param contextOf a context for the work of a job
 */
export function startWorker(
  contextOf: (job: Job) => Context,
  log: FastifyBaseLogger,
  metrics: JobMetrics,
  { pollMs, lanes }: { pollMs: number | null; lanes: readonly Lane[] },
): Worker {
  const ctx = contextOf({ jobId: "worker" } as Job);
  const underWay = new Map<Promise<void>, Job>();
  let stopping = false;
  let looking: Promise<void> | undefined;
  let again = false;

  async function look(): Promise<void> {
    do {
      again = false;
      await returnLost(ctx, metrics);
      for (const lane of lanes) await fill(lane);
    } while (again && !stopping);
  }

  async function fill(lane: Lane): Promise<void> {
    while (!stopping) {
      const running = [...underWay.values()].filter((job) => lane.kinds.includes(job.kind as JobKind));
      if (running.length >= lane.concurrency) return;
      const job = await lease(ctx, lane.kinds, busyReceivers(running, lane.perReceiver));
      if (job === undefined) return;
      const work = runJob(contextOf(job), job, log, metrics)
        // The database did not take the outcome; the lease ends and the job is done again.
        .catch((error: unknown) => log.error({ err: error, job: job.jobId }, "outcome of a job not stored"))
        .finally(() => {
          underWay.delete(work);
          wake();
        });
      underWay.set(work, job);
    }
  }

  function wake(): void {
    if (stopping) return;
    again = true;
    looking ??= look()
      .catch((error: unknown) => log.error({ err: error }, "looking for jobs failed"))
      .finally(() => {
        looking = undefined;
        if (again) wake();
      });
  }

  const timer = pollMs === null ? undefined : setInterval(wake, pollMs);
  timer?.unref();
  return {
    wake,
    async drain() {
      wake();
      while (looking !== undefined || underWay.size > 0) await Promise.all([looking, ...underWay.keys()]);
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      await looking;
      await Promise.all(underWay.keys());
    },
  };
}

/** Receivers that have all the hands they may have. */
function busyReceivers(running: readonly Job[], perReceiver: number | undefined): string[] {
  if (perReceiver === undefined) return [];
  const counts = new Map<string, number>();
  for (const { receiver } of running) {
    if (receiver !== null) counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
  }
  return [...counts].flatMap(([receiver, count]) => (count >= perReceiver ? [receiver] : []));
}

/** Takes the job that is due longest. Two workers never get the same one: a row locked by one is skipped by others. */
async function lease(
  { queries, clock, config }: Context,
  kinds: readonly JobKind[],
  busy: readonly string[],
): Promise<Job | undefined> {
  const now = clock.now();
  const due = queries
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        isWaiting,
        lte(jobs.dueAt, now),
        inArray(
          jobs.kind,
          kinds.filter((kind) => handlers[kind] !== undefined),
        ),
        busy.length === 0 ? undefined : or(isNull(jobs.receiver), notInArray(jobs.receiver, [...busy])),
      ),
    )
    .orderBy(asc(jobs.dueAt), asc(jobs.id))
    .limit(1)
    .for("update", { skipLocked: true });
  const [job] = await queries
    .update(jobs)
    .set({
      state: "STARTED",
      leaseUntil: new Date(now.getTime() + config.jobLeaseMs),
      leaseToken: randomUUID(),
    })
    .where(eq(jobs.id, sql`(${due})`))
    .returning();
  return job;
}

/** Ends every lease. To be called at start where no other process can be at work: the embedded database has one. */
export async function endLeases({ queries, clock }: Context): Promise<void> {
  await queries.update(jobs).set({ leaseUntil: clock.now() }).where(isLeased);
}

/** Gives jobs of dead workers back, or fails them. */
async function returnLost({ queries, clock }: Context, metrics: JobMetrics): Promise<void> {
  const now = clock.now();
  const lost = await queries
    .select({ id: jobs.id, kind: jobs.kind, losses: jobs.losses, leaseToken: jobs.leaseToken })
    .from(jobs)
    .where(and(isLeased, lte(jobs.leaseUntil, now)));
  for (const { id, kind, losses, leaseToken } of lost) {
    const failed = losses + 1 > (handlers[kind as JobKind]?.maxLosses ?? MAX_LOSSES);
    const returned = await queries
      .update(jobs)
      .set({
        losses: losses + 1,
        ...(failed
          ? finished("FAILURE", { code: "worker_lost", message: "The workers stopped over this job." }, now)
          : ({ state: "PENDING", dueAt: now, ...unleased } as const)),
      })
      .where(and(eq(jobs.id, id), eq(jobs.leaseToken, leaseToken ?? "")))
      .returning({ id: jobs.id });
    if (returned.length > 0) metrics.ran(kind, "lost");
  }
}

/** A job that waits again gives up its unique key: a newer one may wait with it. */
const unleased = { leaseToken: null, leaseUntil: null, uniqueKey: null } as const;

/** A terminal state; what the job carried is erased. */
const finished = (state: "SUCCESS" | "FAILURE", details: Record<string, unknown>, now: Date) =>
  ({ state, details, payload: {}, body: null, finishedAt: now, ...unleased }) as const;

async function runJob(ctx: Context, job: Job, log: FastifyBaseLogger, metrics: JobMetrics): Promise<void> {
  const handler = handlers[job.kind as JobKind];
  if (handler === undefined) return;
  const { queries, clock, config } = ctx;
  /** Writes only while the lease is ours: a worker that stood still may find its job done by another. */
  const write = (values: Partial<typeof jobs.$inferInsert>) =>
    queries
      .update(jobs)
      .set(values)
      .where(and(eq(jobs.id, job.id), eq(jobs.leaseToken, job.leaseToken ?? "")));
  const renewal = setInterval(() => {
    write({ leaseUntil: new Date(clock.now().getTime() + config.jobLeaseMs) }).catch((error: unknown) =>
      log.warn({ err: error, job: job.jobId }, "lease not renewed"),
    );
  }, config.jobLeaseMs / 3);
  const startedAt = performance.now();
  const ran = (outcome: JobOutcome) => metrics.ran(job.kind, outcome, performance.now() - startedAt);
  try {
    await write(finished("SUCCESS", await handler.run(ctx, job), clock.now()));
    ran("success");
    log.info({ job: job.jobId, kind: job.kind }, "job done");
  } catch (error) {
    const failures = job.failures + 1;
    const final = error instanceof JobFailed || failures > handler.maxFailures;
    const code = error instanceof JobFailed ? error.code : "failed";
    const message = error instanceof JobFailed ? error.message : "The work failed.";
    log.warn({ err: error, job: job.jobId, kind: job.kind, failures, final }, "job failed");
    const now = clock.now();
    const dueAt =
      error instanceof RetryLater ? error.at : new Date(now.getTime() + handler.delayMs(failures));
    await write(
      final
        ? { ...finished("FAILURE", { code, message }, now), failures }
        : { state: "RETRY", failures, dueAt, ...unleased },
    );
    ran(final ? "failure" : "retry");
  } finally {
    clearInterval(renewal);
  }
}
