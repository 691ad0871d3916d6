import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { type HostLookup, listenOn } from "../connection/listeners.js";
import { readinessBody } from "./readiness.js";

const JSON_TYPE = "application/json; charset=utf-8";

let processRegistry: Registry | undefined;

/**
 * Returns the metrics of the process: memory, event loop and garbage collection. All services of a process share them, because
 * prom-client never stops observing the garbage collector and the event loop.
 */
function processMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** Counts the requests of the application and measures their durations. */
export function measureRequests(app: FastifyInstance): Registry {
  const registry = Registry.merge([processMetrics()]);
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the header of the request to the end of the response",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    // A stream ends when the client disconnects, so its duration does not describe the service.
    const { operation } = request.routeOptions.config;
    if (operation !== undefined && "isStream" in operation.success && operation.success.isStream) return;
    const route = operation?.path ?? request.routeOptions.url ?? "unknown";
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  return registry;
}

/**
 * Serves `/metrics` and `/health/` on a separate port. A worker has no other port.
 * @param defaultPort port to use if the settings name none; if another process uses it, a free port is chosen
 * @returns the port on which it listens, and a function that stops the server
 */
export async function serveMetrics(
  { metrics, readiness, dependencies, log }: FastifyInstance,
  host: string,
  port: number,
  defaultPort: number | null = null,
  find?: HostLookup,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const pages: Readonly<Record<string, () => Promise<[status: number, type: string, text: string]>>> = {
    "/metrics": async () => [200, metrics.contentType, await metrics.metrics()],
    "/health/live/": async () => [200, JSON_TYPE, JSON.stringify({ status: "ok" })],
    "/health/ready/": async () => {
      const status = await readiness();
      return [
        status === "ok" ? 200 : 503,
        JSON_TYPE,
        JSON.stringify(readinessBody(status, dependencies.database)),
      ];
    },
  };
  const server = createServer(async (request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) {
      response.writeHead(404).end();
      return;
    }
    try {
      const [status, type, text] = await page();
      response.writeHead(status, { "Content-Type": type }).end(text);
    } catch (error) {
      // Some metrics are counted in the database.
      log.error({ err: error }, "metrics not read");
      response.writeHead(500).end();
    }
  });
  let chosen = port;
  const listenAt = (address: string) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(chosen, address, resolve);
    });
  const listen = () => listenOn(server, host, log, listenAt, find);
  const { closeOthers } = await listen().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" || port !== defaultPort) throw error;
    chosen = 0;
    const listening = await listen();
    log.warn(
      { taken: port, metricsPort: portOf(server) },
      "another process uses the default port of the metrics; set METRICS_PORT",
    );
    return listening;
  });
  const stop = async () => {
    const closed = [new Promise((resolve) => server.close(resolve)), closeOthers()];
    // A stalled client must not keep the process running.
    server.closeAllConnections();
    await Promise.all(closed);
  };
  return { port: portOf(server), stop };
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
