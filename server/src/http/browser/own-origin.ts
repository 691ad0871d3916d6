import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";

/**
 * Refuses requests from pages of other sites, including those that point a host name to this service (DNS rebinding). Programs
 * send no `Origin`.
 * @throws ServiceError `permission_denied`
 */
export function requireOwnOrigin(
  { config, listeningOrigin }: FastifyInstance,
  { headers }: Pick<FastifyRequest, "headers">,
): void {
  const { origin } = headers;
  if (origin === undefined || config.corsOrigins.includes("*") || config.corsOrigins.includes(origin)) return;
  if (origin === new URL(config.baseUrl ?? listeningOrigin).origin) return;
  throw errors.forbidden(
    "Requests from this site are not allowed. The operator of the service can allow it.",
  );
}
