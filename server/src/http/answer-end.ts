import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";

/** Nobody reads this answer; status 499 keeps it out of the log of failures. */
export const clientLeft = (): Error => Object.assign(new Error("The client has left"), { statusCode: 499 });

/** What is to be called when a connection closes: one listener for all of its answers. */
const endingsOf = new WeakMap<Socket, Set<() => void>>();

function endingsOn(socket: Socket): Set<() => void> {
  const known = endingsOf.get(socket);
  if (known !== undefined) return known;
  const endings = new Set<() => void>();
  endingsOf.set(socket, endings);
  socket.once("close", () => {
    for (const end of endings) end();
  });
  return endings;
}

/**
 * Calls back once when the answer has ended: sent, or cut off because the client has left. Call it before taking what
 * `ended` gives back.
 * @throws Error with status 499 when the client has left already, since the end is told only once
 */
export function onAnswerEnd({ raw, request }: FastifyReply, ended: () => void): void {
  const { socket } = request.raw;
  if (raw.closed || socket.destroyed) {
    throw clientLeft();
  }
  // An answer that waits behind another one of a pipelined connection is not told that the connection has closed.
  const endings = endingsOn(socket);
  const end = () => {
    raw.off("close", end);
    endings.delete(end);
    ended();
  };
  raw.once("close", end);
  endings.add(end);
}
