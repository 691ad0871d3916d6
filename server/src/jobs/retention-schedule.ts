import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/context.js";
import { applyRetention } from "./retention.js";

/** How long after its start a process first vacuums the embedded database, unless the interval is shorter. */
const FIRST_VACUUM_MS = 60_000;

/**
 * Removes expired rows now, because a process may be restarted more often than the interval, and from then on at the configured
 * interval. A run that takes longer than the interval delays the next one.
 * @returns stops it, and waits for the current statement, but not longer than the given time
 */
export function startRetention(ctx: Context, log: FastifyBaseLogger): (timeoutMs: number) => Promise<void> {
  const { retentionIntervalMs } = ctx.config;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Without a vacuum, which delays the first requests of the embedded database.
  let running: Promise<void> = run({ vacuums: false });

  async function run({ vacuums }: { vacuums: boolean }): Promise<void> {
    try {
      await applyRetention(ctx, { signal: stopping.signal, vacuums });
    } catch (error) {
      log.error({ err: error }, "retention failed");
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
