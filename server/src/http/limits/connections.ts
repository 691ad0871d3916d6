import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config/config.js";
import { addressKey } from "./address-key.js";
import { trustedProxies } from "./trusted-proxies.js";

/** Fraction of the connections of a process that one address may have. */
const ADDRESS_SHARE = 1 / 4;

/** Open connections by address key. */
export type Connections = ReadonlyMap<string, ReadonlySet<Socket>>;

/**
 * Immediately closes connections above the limit of their address, because the clients behind one address could
 * otherwise use up all connections. The connections of all clients of a trusted proxy have the address of the proxy, so
 * it has no limit.
 */
export function limitConnections(
  { server }: FastifyInstance,
  { maxConnections, trustProxy }: Config,
): Connections {
  const ofAddress = new Map<string, Set<Socket>>();
  const max = Math.ceil(maxConnections * ADDRESS_SHARE);
  const isProxy = trustedProxies(trustProxy);
  server.prependListener("connection", (socket: Socket) => {
    const ip = socket.remoteAddress;
    // The client has already disconnected.
    if (ip === undefined || socket.destroyed) return;
    const address = addressKey(ip);
    const own = ofAddress.get(address) ?? new Set();
    if (own.size >= max && !isProxy(ip)) {
      socket.destroy();
      return;
    }
    ofAddress.set(address, own.add(socket));
    socket.once("close", () => {
      own.delete(socket);
      if (own.size === 0) ofAddress.delete(address);
    });
  });
  return ofAddress;
}
