import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { accountCaller, addressCaller, onBehalfOf } from "../fairness/callers.js";
import { findUser } from "../oauth/model.js";
import { readTrace } from "../observability/trace-context.js";
import { currentTrace } from "../observability/tracing.js";
import { callerOf, createAuthentication, credentialOf, ticketCredential } from "./authentication.js";
import { enforceBodyTimeout } from "./body/body-timeout.js";
import { endWithOuter } from "./connection/own-requests.js";
import { clientLeft, onResponseEnd } from "./connection/response-end.js";
import { deprecationHeaders } from "./deprecation.js";
import { addressKey } from "./limits/address-key.js";
import { passwordAttempts } from "./limits/password-attempts.js";
import { inRequestTurn } from "./limits/request-queue.js";
import { requireAcceptable } from "./negotiation.js";
import { pathPrefix } from "./path-prefix.js";
import type { answerUnrouted } from "./unrouted.js";
import { requireWebSocket } from "./web-socket/install.js";

/** Performs the first steps of every request: id, throttle by address, authentication, throttle by user. */
export function installGuard(app: FastifyInstance, unrouted: ReturnType<typeof answerUnrouted>): void {
  const { database, clock, lookup, serverKey, computer, jobsAdded } = app.dependencies;
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
      ctx.checkedMs = clock.now().getTime();
      const found = await authenticate(request, credential);
      ctx.caller = found?.caller ?? null;
      isDisabled = found?.isDisabled ?? false;
      const { tokenHash } = credential;
      ctx.tokenHash = tokenHash;
      ctx.presentCaller = (queries) => callerOf(queries, tokenHash, clock.now());
      ctx.isSignedIn = async () => (await ctx.presentCaller?.(ctx.queries)) !== undefined;
    }
    if (ctx.caller !== null) request.onBehalfOf.name = accountCaller(ctx.caller.id);
    await app.throttle(ctx.caller === null ? "address" : "user", request, reply);
    const { caller } = ctx;
    if (caller === null) throw errors.unauthenticated(true);
    if (isDisabled) throw errors.accountDisabled();
    ctx.isOwnPassword = async (password) =>
      (await findUser(ctx, passwordAttempts(app, request), caller.username, password))?.id === caller.id;
    ctx.countPassword = () => app.throttle("newPassword", request);
    ctx.countAccountMail = app.throttle.accountMail;
    ctx.countRegistration = () => app.throttle("registration", request);
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
