import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Finds all addresses of a name. */
export type HostLookup = (host: string) => Promise<{ address: string }[]>;

/**
 * Lets the service listen at every address of `localhost`, which usually has two. The connections of all of them go to the one HTTP
 * server, so its limits hold for them, and its end waits for them. The listeners that fastify adds by itself for `localhost`
 * have neither. Call it before the application is ready.
 * @returns listens, and gives the address of the service, such as `http://127.0.0.1:8080`
 */
export function listeners(
  app: FastifyInstance,
  find: HostLookup = (host) => lookup(host, { all: true }),
): (host: string, port: number) => Promise<string> {
  const others: Server[] = [];
  // The HTTP server waits for its own connections only.
  app.addHook("preClose", async () => {
    await Promise.all(others.map((other) => new Promise((closed) => other.close(closed))));
  });
  return async (host, port) => {
    const addresses = host === "localhost" ? (await find(host)).map(({ address }) => address) : [];
    const [first = host, ...rest] = new Set(addresses);
    const url = await app.listen({ host: first, port });
    const bound = (app.server.address() as AddressInfo).port;
    for (const address of rest) {
      // As `http.createServer` has them.
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) =>
        app.server.emit("connection", socket),
      );
      try {
        await once(other.listen(bound, address), "listening");
        others.push(other);
      } catch (error) {
        app.log.warn({ err: error, address }, "the service does not listen at another address of localhost");
      }
    }
    return url;
  };
}
