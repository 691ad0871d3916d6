import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/context.js";
import { continueRotation } from "../domain/key-rotation.js";
import { removeExpired } from "./retention.js";
import { vacuumAllEmbedded } from "./vacuum.js";

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
  let running: Promise<void> = run(async () => undefined);

  async function run(vacuum: (ctx: Context) => Promise<void>): Promise<void> {
    try {
      await removeExpired(ctx, stopping.signal);
      if (!stopping.signal.aborted) await continueRotation(ctx);
      if (!stopping.signal.aborted) await vacuum(ctx);
    } catch (error) {
      log.error({ err: error }, "retention failed");
    }
  }

  function next(delayMs: number): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      running = run(vacuumAllEmbedded).then(() => next(retentionIntervalMs));
    }, delayMs).unref();
  }

  // Not at the start: a vacuum of all tables delays the first requests of the embedded database.
  running = running.then(() => next(Math.min(retentionIntervalMs, FIRST_VACUUM_MS)));
  return async (timeoutMs) => {
    stopping.abort();
    clearTimeout(timer);
    await Promise.race([running, sleep(timeoutMs, undefined, { ref: false })]);
  };
}
