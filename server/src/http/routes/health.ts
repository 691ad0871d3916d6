import type { FastifyInstance } from "fastify";

/** Health: `live` while the process answers, `ready` while it can serve. Neither counted nor authenticated. */
export function healthRoutes(app: FastifyInstance): void {
  const config = { unguarded: true };

  app.get("/health/live/", { config }, async () => ({ status: "ok" }));

  app.get("/health/ready/", { config }, async (_request, reply) => {
    const status = await app.readiness();
    return reply.code(status === "ok" ? 200 : 503).send({ status });
  });
}
