import type { FastifyReply, FastifyRequest } from "fastify";
import { shownPath } from "./unrouted.js";

/** Writes the log line of a request that has ended. */
export function logRequest(request: FastifyRequest, { elapsedTime }: FastifyReply, status: number): void {
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
