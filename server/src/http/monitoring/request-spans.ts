import type { FastifyInstance } from "fastify";
import {
  endRequestSpan,
  inRequestSpan,
  type RequestSpan,
  startRequestSpan,
} from "../../observability/tracing.js";
import { onResponseEnd } from "../connection/response-end.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Absent if the service records no spans, and for health checks. */
    span: RequestSpan | undefined;
  }
}

/**
 * Records a span for each request, from its head to the end of the response. The fastify plugin of OpenTelemetry is
 * unsuitable: it ends the span before the response is sent, records the query of the URL, and counts refused requests
 * as errors.
 */
export function recordRequests(app: FastifyInstance): void {
  app.decorateRequest("span", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    const { config, url } = request.routeOptions;
    // Record no span for health checks, because an orchestrator requests them every few seconds.
    if (config.unguarded) return done();
    try {
      // `onResponse` is not called when the client disconnects.
      onResponseEnd(reply, () => {
        const { headersSent, writableFinished } = reply.raw;
        if (request.span === undefined) return;
        endRequestSpan(request.span, headersSent ? reply.statusCode : null, writableFinished);
      });
    } catch (error) {
      return done(error as Error);
    }
    const route = config.operation?.path ?? url;
    request.span = startRequestSpan(request.method, route, request.protocol, request.headers);
    inRequestSpan(request.span, done);
  });
  // The last bytes of a body arrive in the context of the connection, so set the context again.
  app.addHook("preValidation", (request, _reply, done) => inRequestSpan(request.span, done));
  app.addHook("onSend", (request, reply, _payload, done) => {
    // Live connections end when the client disconnects, possibly after days.
    const { span } = request;
    if (span !== undefined && String(reply.getHeader("content-type")).startsWith("text/event-stream")) {
      endRequestSpan(span, reply.statusCode, true);
      request.span = undefined;
    }
    done();
  });
}
