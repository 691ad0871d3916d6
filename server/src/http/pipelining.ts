import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.js";
import { addressKey } from "./address-key.js";

/** Clients that send requests without waiting for answers have fewer under way; most have one. */
const MAX_UNANSWERED = 16;

/** How long an address whose connection was cut gets no new one. */
const REFUSAL_MS = 1_000;
const MAX_REFUSED = 10_000;

/**
 * Cuts connections on which too many requests wait for their answers (RFC 9112 section 9.3.2 lets a server close a
 * connection). Node.js creates all requests that arrive in one packet, more than a thousand, and nothing public stops it; so
 * the connections of the address that were not answered yet are cut as well, before they are read, and for a second it
 * gets no new ones. Behind a proxy only the connection itself is cut: the others are of other clients.
 */
export function limitPipelining({ server }: FastifyInstance, { trustProxy }: Config): void {
  const unanswered = new WeakMap<Socket, number>();
  const connections = new Map<string, Set<Socket>>();
  const refused = new LRUCache<string, true>({ max: MAX_REFUSED, ttl: REFUSAL_MS });
  const [handle] = server.listeners("request");
  if (handle === undefined) throw new Error("The server has no handler yet");

  server.prependListener("connection", (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? "");
    if (refused.has(address)) {
      socket.destroy();
      return;
    }
    const own = connections.get(address) ?? new Set();
    connections.set(address, own.add(socket));
    socket.once("close", () => {
      own.delete(socket);
      if (own.size === 0) connections.delete(address);
    });
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
