import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How often a stopping server closes unused connections. What has arrived by then is read before the first time. */
const SWEEP_MS = 50;

/**
 * Follows the connections of a server, so that they do not delay its end. Call it before the server listens.
 * @returns when called, begins to close the connections on which no request is in progress, and continues until the function
 *   that it returns is called: those that wait for the next request, and those that have not sent the whole head of one, which
 *   `closeIdleConnections` of Node.js takes for active
 */
export function closeUnused(server: Server): () => () => void {
  /** Requests in progress on each connection: with pipelining there may be several. */
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
      for (const [socket, inProgress] of requests) if (inProgress === 0) socket.destroy();
    }, SWEEP_MS);
    return () => clearInterval(sweep);
  };
}
