import type { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";

/** Creates the error for a client that has disconnected. Status 499 excludes it from the error log. */
export const clientLeft = (): Error => Object.assign(new Error("Client closed request"), { statusCode: 499 });

/**
 * Callbacks for the end of a response or a connection. They share one listener, because Node.js warns about more than ten.
 */
const endingsOf = new WeakMap<EventEmitter, Set<() => void>>();

function endingsOn(emitter: EventEmitter): Set<() => void> {
  const known = endingsOf.get(emitter);
  if (known !== undefined) return known;
  const endings = new Set<() => void>();
  endingsOf.set(emitter, endings);
  emitter.once("close", () => {
    for (const end of endings) end();
  });
  return endings;
}

/**
 * Calls `ended` once when the response is complete or the client has disconnected. Call this before acquiring the resource that
 * `ended` releases.
 * @throws Error with status 499 if the client has already disconnected, because the event does not fire again
 */
export function onResponseEnd(
  { raw, request }: Pick<FastifyReply, "raw" | "request">,
  ended: () => void,
): void {
  const { socket } = request.raw;
  if (raw.closed || socket.destroyed) {
    throw clientLeft();
  }
  // A response that waits behind another one on a pipelined connection gets no close event.
  const endings = [endingsOn(raw), endingsOn(socket)];
  const end = () => {
    for (const those of endings) those.delete(end);
    ended();
  };
  for (const those of endings) those.add(end);
}
