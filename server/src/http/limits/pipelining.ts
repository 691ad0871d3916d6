import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config/config.js";
import { recentEntries } from "../../fairness/recent-entries.js";
import { addressKey } from "./address-key.js";
import type { Connections } from "./connections.js";

/**
 * Maximum number of unanswered requests on a connection. Clients that use pipelining send fewer; most clients send one
 * at a time.
 */
const MAX_UNANSWERED = 16;

/** Time for which an address cannot open connections after one of its connections was closed. */
const REFUSAL_MS = 1_000;
const MAX_REFUSED = 10_000;

/**
 * Closes connections with too many unanswered requests (RFC 9112 section 9.3.2 allows this). Node.js creates all requests that
 * arrive in one packet, which can be more than a thousand, and has no public way to prevent it. The function therefore also closes
 * all connections of the address that have not yet received a response, before Node.js reads their requests, and refuses new ones for
 * a second. Behind a proxy, it closes only the offending connection, because the others may belong to other clients.
 */
export function limitPipelining(
  { server }: FastifyInstance,
  { trustProxy }: Config,
  connections: Connections,
): void {
  const unanswered = new WeakMap<Socket, number>();
  const refused = recentEntries<true>(MAX_REFUSED, REFUSAL_MS);
  const [handle] = server.listeners("request");
  if (handle === undefined) throw new Error("The server has no handler yet");

  server.prependListener("connection", (socket: Socket) => {
    if (refused.has(addressKey(socket.remoteAddress ?? ""))) socket.destroy();
  });

  function cut(socket: Socket): void {
    socket.destroy();
    if (trustProxy.length > 0) return;
    const address = addressKey(socket.remoteAddress ?? "");
    refused.set(address, true);
    for (const other of connections.get(address) ?? []) if (other.bytesWritten === 0) other.destroy();
  }

  server.removeListener("request", handle as () => void);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > MAX_UNANSWERED) return cut(socket);
    unanswered.set(socket, count);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handle.call(server, request, response);
  });
}
