import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config/config.js";
import { addressKey } from "./address-key.js";
import { trustedProxies } from "./trusted-proxies.js";

/** The fraction of the connections of a process that one address may have. */
const ADDRESS_SHARE = 1 / 4;

/** The open connections of each address, by its key. */
export type Connections = ReadonlyMap<string, ReadonlySet<Socket>>;

/**
 * Closes connections above the share of their address at once, so that one client, or all behind its address, leave connections to
 * others. A trusted proxy has the connections of all its clients.
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
    // Its client has left already.
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
