import { sql } from "drizzle-orm";
import type { FastifyInstance } from "fastify";

const READY_TIMEOUT_MS = 2_000;

/** Health: `live` while the process answers, `ready` while it can serve. Neither counted nor authenticated. */
export function healthRoutes(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  const config = { unguarded: true };

  app.get("/health/live/", { config }, async () => ({ status: "ok" }));

  app.get("/health/ready/", { config }, async (_request, reply) => {
    const { queries } = app.dependencies.database;
    const answered = queries.execute(sql`SELECT 1`).then(
      () => true,
      () => false,
    );
    const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, READY_TIMEOUT_MS, false).unref());
    if (!closing && (await Promise.race([answered, timeout]))) return { status: "ok" };
    return reply.code(503).send({ status: closing ? "stopping" : "database unreachable" });
  });
}
