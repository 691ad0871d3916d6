import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { Counter, type Registry } from "prom-client";
import type { Context } from "../domain/change/context.js";
import { checkClock } from "./clock-check.js";
import { applyRetention, type OnRemoved, REMOVED_KINDS } from "./retention.js";

/** Delay between the start and the first vacuum of the embedded database, unless the interval is shorter. */
const FIRST_VACUUM_MS = 60_000;

/** Counts the rows and samples that this process removes. */
export function measureRetention(registry: Registry): OnRemoved {
  const removed = new Counter({
    name: "asi_retention_removed_total",
    help: "Expired rows and samples that this process has removed",
    labelNames: ["kind"],
    registers: [registry],
  });
  for (const kind of REMOVED_KINDS) removed.inc({ kind }, 0);
  return (kind, count) => removed.inc({ kind }, count);
}

/**
 * Removes expired rows immediately and then at the configured interval. It does not wait for the first interval,
 * because a process may restart more often. A run that takes longer than the interval delays the next one.
 * @param onRemoved result of `measureRetention`
 * @returns function that stops it and waits for the current statement, at most the given time
 */
export function startRetention(
  ctx: Context,
  log: FastifyBaseLogger,
  onRemoved: OnRemoved,
): (timeoutMs: number) => Promise<void> {
  const { retentionIntervalMs } = ctx.config;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Skip the vacuum, because it would delay the first requests to the embedded database.
  let running: Promise<void> = run({ vacuums: false });

  async function run({ vacuums }: { vacuums: boolean }): Promise<void> {
    const removed: Record<string, number> = {};
    const count: OnRemoved = (kind, number) => {
      removed[kind] = (removed[kind] ?? 0) + number;
      onRemoved(kind, number);
    };
    try {
      await checkClock(ctx, log);
      await applyRetention(ctx, { signal: stopping.signal, vacuums, onRemoved: count });
    } catch (error) {
      log.error({ err: error }, "retention failed");
    } finally {
      if (Object.keys(removed).length > 0) log.info({ removed }, "retention removed expired data");
    }
  }

  function next(delayMs: number): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      running = run({ vacuums: true }).then(() => next(retentionIntervalMs));
    }, delayMs).unref();
  }

  running = running.then(() => next(Math.min(retentionIntervalMs, FIRST_VACUUM_MS)));
  return async (timeoutMs) => {
    stopping.abort();
    clearTimeout(timer);
    await Promise.race([running, sleep(timeoutMs, undefined, { ref: false })]);
  };
}
