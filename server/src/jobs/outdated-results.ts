import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/change/context.js";
import { queueOutdated } from "../domain/computed-data/outdated.js";

/**
 * Queues all data from older rules in the background: after an update these can be millions. When it fails, the next start
 * does the rest, and a request for such data computes it.
 * @returns stops it, and waits for the current transaction, but not longer than the given time
 */
export function startQueueOutdated(
  ctx: Context,
  log: FastifyBaseLogger,
): (timeoutMs: number) => Promise<void> {
  const stopping = new AbortController();

  async function run(): Promise<void> {
    try {
      const timeframes = await queueOutdated(ctx, stopping.signal);
      if (timeframes === 0) return;
      log.info({ timeframes, complete: !stopping.signal.aborted }, "queued results of older rules");
    } catch (error) {
      log.error({ err: error }, "queueing results of older rules failed");
    }
  }

  const running = run();
  return async (timeoutMs) => {
    stopping.abort();
    await Promise.race([running, sleep(timeoutMs, undefined, { ref: false })]);
  };
}
