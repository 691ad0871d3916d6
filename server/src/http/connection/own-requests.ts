import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyReply } from "fastify";
import { onResponseEnd } from "./response-end.js";

const outer = new AsyncLocalStorage<AbortSignal>();

/** Makes requests of the service to itself. They end when the signal fires because their callers have disconnected. */
export const madeFor = <T>(signal: AbortSignal, work: () => T): T => outer.run(signal, work);

/**
 * Ends a request of the service to itself together with the request that caused it, because it has no connection of its
 * own that could close.
 */
export function endWithOuter(reply: FastifyReply): void {
  const signal = outer.getStore();
  if (signal === undefined) return;
  const end = () => reply.raw.destroy();
  signal.addEventListener("abort", end, { once: true });
  onResponseEnd(reply, () => signal.removeEventListener("abort", end));
  if (signal.aborted) end();
}
