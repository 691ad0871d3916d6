import { randomUUID } from "node:crypto";
import helmet from "@fastify/helmet";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Registry } from "prom-client";
import type { Config } from "../config/config.js";
import type { AddressLookup } from "../domain/change/address-lookup.js";
import type { ComputePool } from "../domain/change/compute-pool.js";
import type { Clock, Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { accountCaller, addressCaller, type Caller, onBehalfOf } from "../fairness/callers.js";
import { findUser } from "../oauth/model.js";
import { readTrace } from "../observability/trace-context.js";
import { currentTrace } from "../observability/tracing.js";
import type { Database } from "../store/connection/database.js";
import type { ReadReplica } from "../store/connection/read-replica.js";
import {
  type Credential,
  callerOf,
  createAuthentication,
  credentialOf,
  ticketCredential,
} from "./authentication.js";
import { installBodies, JSON_MAX_BYTES } from "./body/bodies.js";
import { endLateBodies, enforceBodyTimeout } from "./body/body-timeout.js";
import { allowOrigins } from "./browser/cors.js";
import { endWithOuter } from "./connection/own-requests.js";
import { clientLeft, onResponseEnd } from "./connection/response-end.js";
import { limitUnreadResponses } from "./connection/response-room.js";
import { cutSlowReaders } from "./connection/slow-clients.js";
import { UpgradeRequest } from "./connection/upgrade-request.js";
import { deprecationHeaders } from "./deprecation.js";
import { installErrors, refuseClient, sendError } from "./errors.js";
import { addressKey } from "./limits/address-key.js";
import { ConcurrencyLimiter } from "./limits/concurrency-limiter.js";
import { limitConnections } from "./limits/connections.js";
import { passwordAttempts } from "./limits/password-attempts.js";
import { limitPipelining } from "./limits/pipelining.js";
import {
  createHeavyQueue,
  createOuterQueue,
  createRequestQueue,
  inRequestTurn,
} from "./limits/request-queue.js";
import { createThrottle, type Throttle } from "./limits/throttle.js";
import { logOptions } from "./monitoring/log.js";
import { measureRequests } from "./monitoring/metrics.js";
import { type Readiness, watchReadiness } from "./monitoring/readiness.js";
import { recordRequests } from "./monitoring/request-spans.js";
import { measureQueues } from "./monitoring/resource-metrics.js";
import { requireAcceptable } from "./negotiation.js";
import { withoutExtension } from "./path-extension.js";
import { pathPrefix } from "./path-prefix.js";
import { routes } from "./routes/index.js";
import { answerUnrouted, collectMethods, shownPath } from "./unrouted.js";
import {
  endRefusedUpgrade,
  installWebSockets,
  requireWebSocket,
  upgradeConstraint,
} from "./web-socket/install.js";

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
    // `enforceBodyTimeout` sets the time limit of each request, because streams have no limit.
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
  installGuard(app, dependencies, unrouted);
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

/** Performs the first steps of every request: id, throttle by address, authentication, throttle by user. */
function installGuard(
  app: FastifyInstance,
  dependencies: Dependencies,
  unrouted: ReturnType<typeof answerUnrouted>,
): void {
  const { database, clock, lookup, serverKey, computer, jobsAdded } = dependencies;
  const prefix = pathPrefix(app.config.baseUrl);
  const { expectedAccount, authenticate } = createAuthentication(database.queries, clock, app.throttle);
  app.addHook("onRequest", (request, _reply, done) => {
    request.onBehalfOf = addressCaller(addressKey(request.ip));
    // Authentication also waits in the queue of the account, because others may share the address.
    request.credential = credentialOf(app.config, request);
    const account = request.credential ? expectedAccount(request.credential) : undefined;
    if (account !== undefined) request.onBehalfOf.name = accountCaller(account);
    onBehalfOf(request.onBehalfOf, done);
  });
  // The last bytes of a body arrive in the context of the connection, so set the context again.
  app.addHook("preValidation", (request, _reply, done) => onBehalfOf(request.onBehalfOf, done));
  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { ctx } = request;
    if (request.ws) {
      try {
        requireWebSocket(app, request);
      } catch (error) {
        await app.throttle("address", request, reply);
        throw error;
      }
    }
    const { operation } = request.routeOptions.config;
    if (request.credential === undefined && operation?.acceptsTicket)
      request.credential = await ticketCredential(ctx, app.throttle, request);
    const { credential } = request;
    if (credential === undefined || request.routeOptions.config.open) {
      return app.throttle("address", request, reply);
    }
    let isDisabled = false;
    if (credential !== null) {
      const found = await authenticate(request, credential);
      ctx.caller = found?.caller ?? null;
      isDisabled = found?.isDisabled ?? false;
      const { tokenHash } = credential;
      ctx.tokenHash = tokenHash;
      ctx.isSignedIn = async () => (await callerOf(ctx.queries, tokenHash, clock.now())) !== undefined;
    }
    if (ctx.caller !== null) request.onBehalfOf.name = accountCaller(ctx.caller.id);
    await app.throttle(ctx.caller === null ? "address" : "user", request, reply);
    const { caller } = ctx;
    if (caller === null) throw errors.unauthenticated(true);
    if (isDisabled) throw errors.accountDisabled();
    ctx.isOwnPassword = async (password) =>
      (await findUser(ctx, passwordAttempts(app, request), caller.username, password))?.id === caller.id;
    ctx.countPassword = () => app.throttle("newPassword", request);
    ctx.countAccountMail = async (key, isNewEmail) => {
      if (isNewEmail) await app.throttle("registration", request);
      await app.throttle.accountMail(key);
    };
  };
  const logged = new WeakSet<FastifyRequest>();
  const logEnd = (request: FastifyRequest, reply: FastifyReply) => {
    // After an error of the connection, both callers report the same end.
    if (logged.has(request)) return;
    logged.add(request);
    app.logRequest(request, reply, reply.statusCode);
  };
  app.addHook("onRequest", async (request, reply) => {
    reply.header("X-Request-Id", request.id);
    reply.header("Cache-Control", "no-store");
    const left = new AbortController();
    onResponseEnd(reply, () => {
      const { headersSent, writableFinished } = reply.raw;
      if (writableFinished) return;
      left.abort(clientLeft());
      // Live data and downloads end like this, and `onResponse` is not called. A WebSocket is logged by its route.
      if (headersSent && !request.ws) logEnd(request, reply);
    });
    endWithOuter(reply);
    const trace = currentTrace() ?? readTrace(request.headers.traceparent);
    const ctx: Context = {
      ...(trace === undefined ? {} : { trace }),
      signal: left.signal,
      queries: database.queries,
      clock,
      lookup,
      config: app.config,
      serverKey,
      computer,
      caller: null,
      requestId: request.id,
      countRegistrationMail: app.throttle.registrationMail,
      jobsAdded,
    };
    request.ctx = ctx;
    const route = request.routeOptions.config;
    // Add these first, because refusals need the headers too.
    if (route.operation?.deprecated) deprecationHeaders(reply, route.operation, prefix);
    if (route.unguarded) {
      if (request.ws) requireWebSocket(app, request);
      return;
    }
    enforceBodyTimeout(request, app.config);
    await inRequestTurn(app, request, () => identify(request, reply));
    requireAcceptable(request);
    // Check the path before the body is read. Otherwise an unknown path could be refused for its content type.
    if (request.is404) return unrouted(request, reply);
  });
  app.addHook("onResponse", async (request, reply) => logEnd(request, reply));
}

/** Writes the log line of a request that has ended. */
function logRequest(request: FastifyRequest, { elapsedTime }: FastifyReply, status: number): void {
  request.log.info(
    {
      method: request.method,
      path: request.routeOptions.config.operation?.path ?? request.routeOptions.url ?? shownPath(request),
      status,
      durationMs: Math.round(elapsedTime * 10) / 10,
      account: request.ctx?.caller?.id,
      address: request.ip,
      trace: request.ctx?.trace?.id,
    },
    "request",
  );
}
