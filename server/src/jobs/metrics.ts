import { and, count, lte, min } from "drizzle-orm";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Context } from "../domain/change/context.js";
import { type LoadedSamples, measureLoaded } from "../observability/loaded-samples.js";
import { isWaiting, type JobKind } from "../store/queue/job-queue.js";
import { jobs } from "../store/schema.js";
import { handlers } from "./handlers.js";

/** Outcome of one run of a job; `lost` means that its worker stopped during the run. */
export type JobOutcome = "success" | "retry" | "failure" | "lost";

/** Metrics that a worker updates after every run. */
export interface JobMetrics {
  /** @param durationMs duration of a run in this process; absent for a lost run */
  ran(kind: string, outcome: JobOutcome, durationMs?: number): void;
  /** Counts the samples of a bulk load. */
  loaded(samples: LoadedSamples): void;
}

const OUTCOMES: readonly JobOutcome[] = ["success", "retry", "failure", "lost"];
const KINDS = Object.keys(handlers) as JobKind[];

/**
 * Counts the runs of this process and measures their durations. Waiting jobs are counted in the database when the metrics are
 * read, so every process reports the same number.
 */
export function measureJobs(registry: Registry, { queries, clock }: Context): JobMetrics {
  const registers = [registry];
  const runs = new Counter({
    name: "asi_job_runs_total",
    help: "Number of job runs in this process, by outcome",
    labelNames: ["kind", "outcome"],
    registers,
  });
  // Initialise the counters, because rates are otherwise wrong until the second failure.
  for (const kind of KINDS) for (const outcome of OUTCOMES) runs.inc({ kind, outcome }, 0);
  const duration = new Histogram({
    name: "asi_job_run_duration_seconds",
    help: "Duration of a job run",
    labelNames: ["kind"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  new Gauge({
    name: "asi_jobs_waiting",
    help: "Jobs that wait for a worker, including those that will be retried later",
    labelNames: ["kind"],
    registers,
    async collect() {
      const found = await queries
        .select({ kind: jobs.kind, value: count() })
        .from(jobs)
        .where(isWaiting)
        .groupBy(jobs.kind);
      for (const kind of KINDS) this.set({ kind }, found.find((row) => row.kind === kind)?.value ?? 0);
    },
  });
  new Gauge({
    name: "asi_jobs_delay_seconds",
    help: "Waiting time of the oldest due job; 0 if no job is due",
    labelNames: ["kind"],
    registers,
    async collect() {
      const now = clock.now();
      const found = await queries
        .select({ kind: jobs.kind, since: min(jobs.dueAt) })
        .from(jobs)
        .where(and(isWaiting, lte(jobs.dueAt, now)))
        .groupBy(jobs.kind);
      for (const kind of KINDS) {
        const since = found.find((row) => row.kind === kind)?.since ?? now;
        this.set({ kind }, (now.getTime() - since.getTime()) / 1000);
      }
    },
  });
  return {
    loaded: measureLoaded(registry),
    ran(kind, outcome, durationMs) {
      runs.inc({ kind, outcome });
      if (durationMs !== undefined) duration.observe({ kind }, durationMs / 1000);
    },
  };
}
