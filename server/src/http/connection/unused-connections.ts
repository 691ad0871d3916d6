import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Interval at which a stopping server closes unused connections. Data that has already arrived is
 * read before the first closing.
 */
const SWEEP_MS = 50;

/**
 * Tracks the connections of a server, because unused ones would delay its end. Call it before the server listens.
 * @param isUpgraded whether a connection has left HTTP, so that its requests are unknown
 * @returns function that starts closing connections without a request in progress, and returns a function that stops this. Also
 *   closes connections with an incomplete request head, which `closeIdleConnections` of Node.js considers active
 */
export function closeUnused(server: Server, isUpgraded = (_: Socket): boolean => false): () => () => void {
  /** Number of requests in progress per connection; pipelining allows several. */
  const requests = new Map<Socket, number>();
  const count = (socket: Socket, added: number) => {
    const known = requests.get(socket);
    if (known !== undefined) requests.set(socket, known + added);
  };
  server.on("connection", (socket: Socket) => {
    requests.set(socket, 0);
    socket.once("close", () => requests.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    response.once("close", () => count(socket, -1));
  });
  return () => {
    const sweep = setInterval(() => {
      for (const [socket, inProgress] of requests)
        if (inProgress === 0 && !isUpgraded(socket)) socket.destroy();
    }, SWEEP_MS);
    return () => clearInterval(sweep);
  };
}
