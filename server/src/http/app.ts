import { randomUUID } from "node:crypto";
import helmet from "@fastify/helmet";
import Fastify, { type FastifyInstance, LogController } from "fastify";
import type { Registry } from "prom-client";
import type { Config } from "../config/config.js";
import type { AddressLookup } from "../domain/change/address-lookup.js";
import type { ComputePool } from "../domain/change/compute-pool.js";
import type { Clock } from "../domain/change/context.js";
import type { Caller } from "../fairness/callers.js";
import type { Database } from "../store/connection/database.js";
import type { ReadReplica } from "../store/connection/read-replica.js";
import type { Credential } from "./authentication.js";
import { installBodies, JSON_MAX_BYTES } from "./body/bodies.js";
import { endLateBodies } from "./body/body-timeout.js";
import { allowOrigins } from "./browser/cors.js";
import { limitUnreadResponses } from "./connection/response-room.js";
import { cutSlowReaders } from "./connection/slow-clients.js";
import { UpgradeRequest } from "./connection/upgrade-request.js";
import { installErrors, refuseClient, sendError } from "./errors.js";
import { installGuard } from "./guard.js";
import { ConcurrencyLimiter } from "./limits/concurrency-limiter.js";
import { limitConnections } from "./limits/connections.js";
import { limitPipelining } from "./limits/pipelining.js";
import { createHeavyQueue, createOuterQueue, createRequestQueue } from "./limits/request-queue.js";
import { createThrottle, type Throttle } from "./limits/throttle.js";
import { logOptions } from "./monitoring/log.js";
import { measureRequests } from "./monitoring/metrics.js";
import { type Readiness, watchReadiness } from "./monitoring/readiness.js";
import { recordRequests } from "./monitoring/request-spans.js";
import { measureQueues } from "./monitoring/resource-metrics.js";
import { withoutExtension } from "./path-extension.js";
import { logRequest } from "./request-log.js";
import { routes } from "./routes/index.js";
import { answerUnrouted, collectMethods } from "./unrouted.js";
import { endRefusedUpgrade, installWebSockets, upgradeConstraint } from "./web-socket/install.js";

/** Dependencies that the application uses but does not open. */
export interface Dependencies {
  database: Database;
  clock: Clock;
  lookup: AddressLookup;
  serverKey: Uint8Array;
  computer: ComputePool;
  /** Replica from which pages of raw data are read while it is recent enough. */
  replica?: ReadReplica;
  /** Called after the commit of a transaction that added jobs. */
  jobsAdded(): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Caller for whom the request is served. */
    onBehalfOf: Caller;
    /** Undefined if there is no token, null if the token is malformed. */
    credential: Credential | null | undefined;
  }
  interface FastifyInstance {
    throttle: Throttle;
    slots: ConcurrencyLimiter;
    dependencies: Dependencies;
    config: Config;
    metrics: Registry;
    logRequest: typeof logRequest;
    readiness: () => Promise<Readiness>;
  }
  interface FastifyContextConfig {
    /** Health checks, which are neither throttled nor authenticated. */
    unguarded?: boolean;
    /** The operation is open to anyone. Ignore credentials, because they may be stale or belong to an OAuth client. */
    open?: boolean;
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Builds the application with all routes. It does not listen yet. */
export async function buildApp(config: Config, dependencies: Dependencies): Promise<FastifyInstance> {
  const app = Fastify({
    http: { IncomingMessage: UpgradeRequest },
    rewriteUrl: withoutExtension,
    logger: config.logLevel === "silent" ? false : logOptions(config.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: JSON_MAX_BYTES,
    // `enforceBodyTimeout` sets the time limit for each request, because streams have no limit.
    requestTimeout: 0,
    connectionTimeout: 2 * config.requestTimeoutMs,
    forceCloseConnections: "idle",
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    genReqId: (request) => {
      const given = request.headers["x-request-id"];
      return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    },
    frameworkErrors(error, request, reply) {
      endRefusedUpgrade(request, reply);
      return sendError(error, request, reply);
    },
    clientErrorHandler: refuseClient,
    routerOptions: {
      ignoreTrailingSlash: false,
      caseSensitive: true,
      maxParamLength: 100,
      constraints: { [upgradeConstraint.name]: upgradeConstraint },
    },
  });
  app.server.maxConnections = config.maxConnections;
  // Without a request timeout, Node.js has no timeout for headers either.
  app.server.headersTimeout = config.requestTimeoutMs;
  app.decorate("config", config);
  app.decorate("dependencies", dependencies);
  app.decorate("throttle", createThrottle(config, dependencies.database));
  app.decorate("operations", []);
  app.decorate("logRequest", logRequest);
  app.decorate("requestQueue", createRequestQueue());
  app.decorate("heavyQueue", createHeavyQueue());
  app.decorate("outerQueue", createOuterQueue());
  app.decorate("slots", new ConcurrencyLimiter(config.convertConcurrency, config.convertConcurrencyPerUser));
  for (const name of ["ctx", "ids", "target", "rawBody", "releaseSlot", "onBehalfOf", "credential"])
    app.decorateRequest(name, undefined);
  app.decorateRequest("isReplay", false);
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));

  if (config.otlpEndpoint !== null) recordRequests(app);
  app.decorate("metrics", measureRequests(app));
  measureQueues(app.metrics, app.requestQueue, dependencies.database);
  app.decorate("readiness", watchReadiness(app));

  limitUnreadResponses(app, config);
  cutSlowReaders(app, config);
  limitPipelining(app, config, limitConnections(app, config));
  endLateBodies(app);
  installErrors(app);
  await installBodies(app);
  const unrouted = answerUnrouted(collectMethods(app));
  allowOrigins(app, config.corsOrigins);
  await installWebSockets(app);
  installGuard(app, unrouted);
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: "same-origin" },
  });
  for (const install of routes) await install(app);
  return app;
}
