import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/change/context.js";
import { queueOutdated } from "../domain/computed-data/outdated.js";
import { queueOutdatedFigures } from "../domain/sessions/outdated-figures.js";

/**
 * Queues the recomputation of all results that older rules computed, in the background, because an update may leave millions of
 * them. After a failure, the next start continues, and a request for an outdated result recomputes it.
 * @returns function that stops it and waits for the current transaction, at most the given time
 */
export function startQueueOutdated(
  ctx: Context,
  log: FastifyBaseLogger,
): (timeoutMs: number) => Promise<void> {
  const stopping = new AbortController();

  async function run(): Promise<void> {
    try {
      const timeframes = await queueOutdated(ctx, stopping.signal);
      const sessions = await queueOutdatedFigures(ctx, stopping.signal);
      if (timeframes === 0 && sessions === 0) return;
      log.info(
        { timeframes, sessions, complete: !stopping.signal.aborted },
        "queued results computed by older rules",
      );
    } catch (error) {
      log.error({ err: error }, "queueing results computed by older rules failed");
    }
  }

  const running = run();
  return async (timeoutMs) => {
    stopping.abort();
    await Promise.race([running, sleep(timeoutMs, undefined, { ref: false })]);
  };
}
