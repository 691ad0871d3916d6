import type { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";

/** Nobody reads this answer; status 499 keeps it out of the log of failures. */
export const clientLeft = (): Error => Object.assign(new Error("The client has left"), { statusCode: 499 });

/** What is to be called when an answer or a connection closes: one listener for all, since Node.js warns of more than ten. */
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
 * Calls back once when the answer has ended: sent, or cut off because the client has left. Call it before taking what
 * `ended` gives back.
 * @throws Error with status 499 when the client has left already, since the end is told only once
 */
export function onAnswerEnd(
  { raw, request }: Pick<FastifyReply, "raw" | "request">,
  ended: () => void,
): void {
  const { socket } = request.raw;
  if (raw.closed || socket.destroyed) {
    throw clientLeft();
  }
  // An answer that waits behind another one of a pipelined connection is not told that the connection has closed.
  const endings = [endingsOn(raw), endingsOn(socket)];
  const end = () => {
    for (const those of endings) those.delete(end);
    ended();
  };
  for (const those of endings) those.add(end);
}
