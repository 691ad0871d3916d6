import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Clients that send requests without waiting for answers have fewer under way; most have one. */
const MAX_UNANSWERED = 16;

/**
 * Cuts connections on which too many requests wait for their answers. Node.js starts all that arrive in one packet, more
 * than a thousand, before anything can refuse them (RFC 9112 section 9.3.2 lets a server close the connection).
 */
export function limitPipelining(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>();
  app.server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (count > MAX_UNANSWERED) socket.destroy();
  });
}
