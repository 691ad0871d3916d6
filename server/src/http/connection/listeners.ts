import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";

/** Resolves all addresses of a name. */
export type HostLookup = (host: string) => Promise<{ address: string }[]>;

const findAll: HostLookup = (host) => lookup(host, { all: true });

/** Minimum interval between log lines about connections that are not accepted, because there may be thousands a second. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Logs connections that a listening server does not accept, because of an error, such as no free file descriptor, or
 * because Node.js closes connections above `maxConnections`. Without a listener for the error, Node.js ends the
 * process.
 */
export function logUnacceptedConnections(server: Server, log: Pick<FastifyBaseLogger, "error">): void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const logRarely = (details: object, message: string) => {
    if (performance.now() - loggedAtMs < LOG_INTERVAL_MS) return;
    loggedAtMs = performance.now();
    log.error(details, message);
  };
  server.on("error", (error) => logRarely({ err: error }, "connections not accepted"));
  server.on("drop", () => logRarely({ maxConnections: server.maxConnections }, "too many connections"));
}

/** A listening server. */
export interface Listening<T> {
  /** Result of `listenAt`. */
  first: T;
  /** Closes the listeners of the other addresses, and waits for their connections. */
  closeOthers(): Promise<void>;
}

/**
 * Makes an HTTP server listen on every address of `localhost`, usually two. All connections belong to this server, so
 * its limits apply to them, except that `maxConnections` applies to each address separately.
 * @param listenAt makes the server itself listen on an address
 */
export async function listenOn<T>(
  server: HttpServer,
  host: string,
  log: FastifyBaseLogger,
  listenAt: (address: string) => Promise<T>,
  find: HostLookup = findAll,
): Promise<Listening<T>> {
  const addresses = host === "localhost" ? (await find(host)).map(({ address }) => address) : [];
  const [firstAddress = host, ...rest] = new Set(addresses);
  const first = await listenAt(firstAddress);
  logUnacceptedConnections(server, log);
  const bound = (server.address() as AddressInfo).port;
  const others: Server[] = [];
  for (const address of rest) {
    // Use the same options as `http.createServer`.
    const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) =>
      server.emit("connection", socket),
    );
    other.maxConnections = server.maxConnections;
    try {
      await once(other.listen(bound, address), "listening");
      logUnacceptedConnections(other, log);
      others.push(other);
    } catch (error) {
      log.warn({ err: error, address }, "the service does not listen at another address of localhost");
    }
  }
  return {
    first,
    async closeOthers() {
      await Promise.all(others.map((other) => new Promise((closed) => other.close(closed))));
    },
  };
}

/**
 * Makes the service listen, see `listenOn`. Closing the service waits for the connections of all listeners. The
 * listeners that fastify adds automatically for `localhost` do not share its limits and are not closed with it. Call it
 * before the application is ready.
 * @returns function that listens and returns the address of the service, such as `http://127.0.0.1:8080`
 */
export function listeners(
  app: FastifyInstance,
  find?: HostLookup,
): (host: string, port: number) => Promise<string> {
  let listening: Listening<string> | undefined;
  // The HTTP server waits only for its own connections.
  app.addHook("preClose", async () => listening?.closeOthers());
  return async (host, port) => {
    const listenAt = (address: string) => app.listen({ host: address, port });
    listening = await listenOn(app.server, host, app.log, listenAt, find);
    return listening.first;
  };
}
