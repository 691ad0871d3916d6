import { sql } from "drizzle-orm";
import type { FastifyInstance } from "fastify";
import type { Database } from "../store/database.js";

const READY_TIMEOUT_MS = 2_000;

export type Readiness = "ok" | "stopping" | "database unreachable" | "database read-only";

/**
 * The body of a health check. A process stays ready while a server of samples is away: it serves all other devices. Anyone may
 * read it, so it says how many are away; their addresses are in the metrics and in the log.
 */
export function readinessBody(status: Readiness, { sampleServers }: Database): Record<string, unknown> {
  const away = (sampleServers?.states ?? []).filter(({ problem }) => problem !== undefined);
  return away.length === 0 ? { status } : { status, sample_servers_away: away.length };
}

/** Checks whether the process can serve: it is not stopping, and its database responds and accepts changes. */
export function watchReadiness(app: FastifyInstance): () => Promise<Readiness> {
  let stopping = false;
  app.addHook("preClose", async () => {
    stopping = true;
  });
  const askDatabase = async (): Promise<Readiness> => {
    const asked = sql`SELECT current_setting('transaction_read_only') AS "readOnly"`;
    const { rows } = await app.dependencies.database.queries.execute(asked);
    return rows[0]?.readOnly === "off" ? "ok" : "database read-only";
  };
  return async () => {
    if (stopping) return "stopping";
    const answered = askDatabase().catch(() => "database unreachable" as const);
    const late = new Promise<Readiness>((resolve) =>
      setTimeout(resolve, READY_TIMEOUT_MS, "database unreachable").unref(),
    );
    const readiness = await Promise.race([answered, late]);
    return stopping ? "stopping" : readiness;
  };
}
