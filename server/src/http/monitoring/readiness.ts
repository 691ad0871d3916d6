import type { FastifyInstance } from "fastify";
import type { Database } from "../../store/connection/database.js";
import { SessionWatch } from "../../store/connection/session-check.js";

const READY_TIMEOUT_MS = 2_000;

export type Readiness =
  | "ok"
  | "stopping"
  | "database unreachable"
  | "database read-only"
  | "database sessions shared by a pooler";

/**
 * Returns the body of a health check. A process remains ready while a sample server is unreachable, because it serves all other
 * devices. Anyone may read it, so it contains only the number of unreachable servers; their addresses are in the metrics and in
 * the log.
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
  const watch = new SessionWatch();
  const askDatabase = async (): Promise<Readiness> => {
    const { pool, direct } = app.dependencies.database;
    const client = await pool.connect();
    try {
      await watch.check(client, direct !== pool);
      if (watch.areShared) return "database sessions shared by a pooler";
      const { rows } = await client.query<{ readOnly: string }>(
        `SELECT current_setting('transaction_read_only') AS "readOnly"`,
      );
      return rows[0]?.readOnly === "off" ? "ok" : "database read-only";
    } finally {
      client.release();
    }
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
