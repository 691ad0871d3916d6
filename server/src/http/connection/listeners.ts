import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";

/** Finds all addresses of a name. */
export type HostLookup = (host: string) => Promise<{ address: string }[]>;

const findAll: HostLookup = (host) => lookup(host, { all: true });

/** How often connections that are not accepted are logged at most: there may be thousands a second. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Logs connections that a listening server does not accept: those that it cannot accept, for instance because the process has no file
 * descriptor left, and those above its `maxConnections`, which Node.js closes. Without a listener for the first, Node.js ends the process.
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

/** A server that listens. */
export interface Listening<T> {
  /** What `listenAt` returned. */
  first: T;
  /** Closes the listeners at the other addresses, and waits for their connections. */
  closeOthers(): Promise<void>;
}

/**
 * Lets an HTTP server listen at every address of `localhost`, which usually has two. The connections of all of them go to this one
 * server, so its limits hold for them; each address has its own `maxConnections`.
 * @param listenAt lets the server itself listen at an address
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
    // As `http.createServer` has them.
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
 * Lets the service listen, as `listenOn`. Its end waits for the connections of all listeners; the listeners that fastify adds by itself
 * for `localhost` share neither its limits nor its end. Call it before the application is ready.
 * @returns listens, and gives the address of the service, such as `http://127.0.0.1:8080`
 */
export function listeners(
  app: FastifyInstance,
  find?: HostLookup,
): (host: string, port: number) => Promise<string> {
  let listening: Listening<string> | undefined;
  // The HTTP server waits for its own connections only.
  app.addHook("preClose", async () => listening?.closeOthers());
  return async (host, port) => {
    const listenAt = (address: string) => app.listen({ host: address, port });
    listening = await listenOn(app.server, host, app.log, listenAt, find);
    return listening.first;
  };
}
