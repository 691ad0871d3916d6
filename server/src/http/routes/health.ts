import type { FastifyInstance } from "fastify";
import { readinessBody } from "../monitoring/readiness.js";

/**
 * Adds the health checks: `live` while the process responds, `ready` while it can serve. They are neither throttled nor
 * authenticated.
 */
export function healthRoutes(app: FastifyInstance): void {
  const config = { unguarded: true };

  app.get("/health/live/", { config }, async () => ({ status: "ok" }));

  app.get("/health/ready/", { config }, async (_request, reply) => {
    const status = await app.readiness();
    return reply.code(status === "ok" ? 200 : 503).send(readinessBody(status, app.dependencies.database));
  });
}
