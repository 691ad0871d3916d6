import type { FastifyInstance } from "fastify";

/** Response headers that pages of other origins may read, in addition to those that browsers always expose. */
const EXPOSED =
  "Content-Disposition, Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Asi-Report, X-Definition-Version, X-Error-Code, X-Ignored, X-Request-Id";

/**
 * Request headers that such pages may send. `X-Asi-Page` is not included, because the cookie of the service's own page is valid
 * only for this page.
 */
const SENDABLE =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id, traceparent";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";

/** Browsers cache the response to a preflight for at most two hours (Chromium). */
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/**
 * Allows pages of other origins to use the API in browsers (Fetch Standard, "CORS protocol"), with tokens and without cookies.
 * Responds to a preflight immediately, before throttles. Without configured origins, it changes nothing.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const isForAll = origins.includes("*");
  const allowed = new Set(origins);

  app.addHook("onRequest", (request, reply, done) => {
    const { origin, "access-control-request-method": requestedMethod } = request.headers;
    if (origin === undefined || !(isForAll || allowed.has(origin))) return done();
    reply.header("Access-Control-Allow-Origin", isForAll ? "*" : origin);
    reply.header("Access-Control-Expose-Headers", EXPOSED);
    if (request.method !== "OPTIONS" || requestedMethod === undefined) return done();
    reply
      .code(204)
      .header("Access-Control-Allow-Methods", METHODS)
      .header("Access-Control-Allow-Headers", SENDABLE)
      .header("Access-Control-Max-Age", PREFLIGHT_MAX_AGE_SECONDS)
      .send();
  });

  // Set the header at the end, because operations also set `Vary`.
  if (isForAll) return;
  app.addHook("onSend", (_request, reply, payload, done) => {
    const vary = String(reply.getHeader("Vary") ?? "");
    if (!/\borigin\b/i.test(vary)) reply.header("Vary", vary === "" ? "Origin" : `${vary}, Origin`);
    done(null, payload);
  });
}
