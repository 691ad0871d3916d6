import { resolve } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.js";
import { settings } from "../config/settings.js";
import { UsageError } from "../config/usage-error.js";
import type { AddressLookup } from "../domain/change/address-lookup.js";
import type { ComputePool } from "../domain/change/compute-pool.js";
import type { Clock } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { startComputer } from "../domain/computed-data/threads/pool.js";
import { reapplyErasures } from "../domain/deletion/reapply.js";
import { checkServerKey, requireServerKey } from "../domain/secrets/secrets.js";
import { buildApp } from "../http/app.js";
import { listeners } from "../http/connection/listeners.js";
import { closeUnused } from "../http/connection/unused-connections.js";
import { serveMetrics } from "../http/monitoring/metrics.js";
import { checkClock } from "../jobs/clock-check.js";
import { measureJobs } from "../jobs/metrics.js";
import { startQueueOutdated } from "../jobs/outdated-results.js";
import { measureRetention, startRetention } from "../jobs/retention-schedule.js";
import { startWorker, type Worker } from "../jobs/worker.js";
import { serveOperator } from "../operator/socket-server.js";
import { erasureListOf, makeErasureList } from "../store/backup/erasure-list.js";
import { holdServerLock } from "../store/connection/server-lock.js";
import { requireOwnSchema } from "../store/migrations/migrate.js";
import { openReplica, type Store } from "../store/open.js";
import { removeUnusedBodies } from "../store/queue/job-body.js";
import { endLeases } from "../store/queue/job-lease.js";
import { accounts } from "../store/schema.js";
import { announceWaiting } from "./announce-waiting.js";
import { ownContext, systemClock, systemLookup } from "./own-context.js";
import { Shutdown } from "./shutdown.js";

/** Part of the service that a process runs. */
export type ServiceRole = "api" | "worker" | "all";

export interface Service {
  app: FastifyInstance;
  /** Address of the API, such as `http://127.0.0.1:8080`; null for a worker without an API. */
  url: string | null;
  worker: Worker;
  computer: ComputePool;
  /**
   * Calls `end` with a message for the operator when another release has migrated the database. The process must then
   * end.
   */
  onSuperseded(end: (reason: UsageError) => void): void;
  /**
   * Stops in phases: first refuses new requests and jobs, then waits for running ones for at most the configured time, then ends
   * the rest. Does not close the store.
   * @param ending records the parts that have not ended
   */
  stop(ending?: Shutdown): Promise<void>;
}

const DEFAULT_METRICS_PORT = Number(settings.metricsPort.fallback);

/** System calls that fail if an address is not available. */
const LISTENING = new Set(["listen", "bind", "getaddrinfo"]);

/**
 * Waits until a server listens.
 * @throws UsageError with the name of the setting if the address is not available
 */
async function bind<T>(setting: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error && LISTENING.has(String(error.syscall)))) throw error;
    throw new UsageError(`The service cannot listen: ${error.message}. Change ${setting}.`);
  }
}

/** Stores the reason to end until a callback is registered. */
function supersession() {
  let reason: UsageError | undefined;
  let end: ((reason: UsageError) => void) | undefined;
  return {
    supersede(found: UsageError) {
      reason ??= found;
      end?.(reason);
    },
    onSuperseded(callBack: (reason: UsageError) => void) {
      end = callBack;
      if (reason !== undefined) end(reason);
    },
  };
}

/**
 * Starts a process of the service on an open store.
 * @throws UsageError if it cannot listen; then closes everything that it has opened
 */
export async function startService(
  config: Config,
  store: Store,
  role: ServiceRole = "all",
  clock: Clock = systemClock,
  lookup: AddressLookup = systemLookup,
): Promise<Service> {
  const runsJobs = role !== "api";
  let worker: Worker | undefined;
  const jobsAdded = () => {
    if (runsJobs) worker?.wake();
  };
  const computer = startComputer(config.computeThreads, errors.throttled);
  // Only the API reads pages.
  const replica = role === "worker" ? undefined : await openReplica(config, store.database);
  const app = await buildApp(config, {
    ...(replica === undefined ? {} : { replica }),
    database: store.database,
    serverKey: store.serverKey,
    computer,
    clock,
    lookup,
    jobsAdded,
  });
  const startClosing = closeUnused(app.server, (socket) => app.upgraded.has(socket));
  const listen = listeners(app);
  app.log.info({ role, database: store.database.kind, node: process.version }, "starting");
  const own = ownContext(config, store, clock, jobsAdded, computer, lookup);
  const jobMetrics = measureJobs(app.metrics, own);
  const countRemoved = measureRetention(app.metrics);
  worker = startWorker(
    ({ jobId }, trace) => ({ ...own, requestId: jobId, ...(trace === undefined ? {} : { trace }) }),
    app.log,
    jobMetrics,
    {
      pollMs: runsJobs ? config.jobPollMs : null,
      lanes: [
        { kind: "mail", places: config.jobConcurrency },
        { kind: "bulk-load", places: config.jobConcurrency },
        { kind: "compute", places: config.jobConcurrency },
        { kind: "recompute", places: 1 },
        { kind: "derive", places: 1 },
        { kind: "session-figures", places: config.jobConcurrency },
        { kind: "record-figures", places: 1 },
        { kind: "stream-effects", places: 1 },
        { kind: "removal", places: 1 },
        { kind: "webhook-fan-out", places: 1 },
        { kind: "webhook", places: config.webhookConcurrency, perReceiver: config.webhookConcurrencyPerHost },
      ],
    },
  );
  const running = worker;

  let isWatching = false;
  let releaseServerLock: (() => void) | undefined;
  let url: string | null = null;
  let metrics: { port: number; stop: () => Promise<void> } | undefined;
  let stopOperator: ((timeoutMs: number) => Promise<void>) | undefined;
  let stopRetention: ((timeoutMs: number) => Promise<void>) | undefined;
  let stopQueueOutdated: ((timeoutMs: number) => Promise<void>) | undefined;
  const open = async () => {
    releaseServerLock = await announceWaiting("a restore, or a migration by another process, to end", () =>
      holdServerLock(store.database, { check: requireOwnSchema, onRefused: supersede }),
    );
    await replica?.start(app.log);
    await store.database.sampleServers?.start(app.log);
    isWatching = true;
    await requireServerKey(own, own.queries);
    const warning = await checkServerKey(own, own.queries);
    if (warning !== undefined) app.log.warn(warning.text);
    await checkClock(own, app.log);
    const list = resolve(erasureListOf(config));
    const firstAccount = own.queries.select({ id: accounts.id }).from(accounts).orderBy(accounts.id).limit(1);
    if ((await makeErasureList(list)) && (await firstAccount).length > 0) {
      app.log.warn(
        { list },
        "the list of erasures was missing, so an empty list was created; if the database was restored, accounts that were erased since then are back: run asi-server erasures apply --list with a copy of the former list",
      );
    }
    // Erase again before anyone can see accounts of a restored backup.
    const { erased, waiting } = await reapplyErasures(own);
    if (erased > 0) app.log.warn({ accounts: erased }, "accounts of a restored backup were erased again");
    if (waiting > 0)
      app.log.warn(
        { recordings: waiting },
        "recordings that wait to be loaded or are still being streamed may add erased samples again",
      );
    // Run this before requests write more.
    if (store.database.kind === "embedded") await removeUnusedBodies(own.queries, clock.now());
    const { host, port, metricsPort } = config;
    if (role !== "worker") url = await bind("HOST or PORT", listen(host, port));
    if (metricsPort !== 0)
      metrics = await bind(
        "HOST or METRICS_PORT",
        serveMetrics(app, host, metricsPort, DEFAULT_METRICS_PORT),
      );
    if (store.database.kind === "embedded") stopOperator = await serveOperator(own, app.log);
    if (!runsJobs) return;
    stopRetention = startRetention(own, app.log, countRemoved);
    if (store.database.kind === "embedded") await endLeases(own.queries);
    running.wake();
    stopQueueOutdated = startQueueOutdated(own, app.log);
  };

  const { supersede, onSuperseded } = supersession();
  let stopped: Promise<void> | undefined;
  const stop = async (ending = new Shutdown()) => {
    const { shutdownTimeoutMs } = config;
    app.log.info({ timeoutMs: shutdownTimeoutMs }, "stopping");
    const timeout = setTimeout(() => {
      app.log.warn("running requests aborted");
      app.server.closeAllConnections();
      // Also close connections whose handshakes wait for the database.
      for (const connection of app.upgraded) connection.destroy();
    }, shutdownTimeoutMs);
    // Close each connection after its response, because clients would keep it open.
    const stopClosing = startClosing();
    await Promise.all([
      ending.waitFor("requests", app.close()),
      ending.waitFor("jobs", running.stop(shutdownTimeoutMs)),
      ending.waitFor("retention", stopRetention?.(shutdownTimeoutMs)),
      ending.waitFor("operator commands", stopOperator?.(shutdownTimeoutMs)),
      ending.waitFor("outdated results", stopQueueOutdated?.(shutdownTimeoutMs)),
    ]);
    clearTimeout(timeout);
    stopClosing();
    await ending.waitFor("computations", computer.close());
    await ending.waitFor("metrics", metrics?.stop());
    await ending.waitFor("read replica", replica?.close());
    if (isWatching) await ending.waitFor("watch of the sample servers", store.database.sampleServers?.stop());
    releaseServerLock?.();
    app.log.info("stopped");
  };
  try {
    await open();
  } catch (error) {
    // Close all open resources, which would keep the process running and the data folder locked.
    await stop().catch((stopping: unknown) => app.log.error({ err: stopping }, "stop failed"));
    throw error;
  }
  app.log.info({ role, url, metricsPort: metrics?.port ?? null }, "ready");
  return {
    app,
    url,
    worker: running,
    computer,
    onSuperseded,
    stop(ending) {
      stopped ??= stop(ending);
      return stopped;
    },
  };
}
