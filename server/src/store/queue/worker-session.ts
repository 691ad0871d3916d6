import { sql } from "drizzle-orm";
import pg from "pg";
import type { Database, Queries } from "../connection/database.js";

/** First half of the keys of the locks that workers hold; the second half is the number of the worker. */
const WORKER_LOCKS = 7_340_003;

/** How often a worker that has lost its session tries to open another. */
const RETRY_MS = 500;

/**
 * How long the lock of a worker may be missing before others get its jobs. After a restart of the database, every worker
 * needs a moment to take its lock again.
 */
export const WORKER_GRACE_MS = 3_000;

/** Shows the other workers that this one is alive. */
export interface WorkerSession {
  /** The number of the worker in its jobs. */
  worker: number;
  end(): Promise<void>;
}

/**
 * Opens a separate connection and locks the number of the worker in it. PostgreSQL releases the lock with the connection, so
 * the end of the process is known immediately. The embedded database needs no session, because it has one process.
 * @returns null on the embedded database
 */
export async function openWorkerSession(database: Database): Promise<WorkerSession | null> {
  if (database.kind === "embedded") return null;
  const { rows } = await database.pool.query<{ number: number }>(
    "SELECT nextval('worker_numbers')::integer AS number",
  );
  const worker = rows[0]?.number ?? 0;
  let ended = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    const opened = new pg.Client(database.direct.options);
    // The lock ends with the connection. The jobs stay leased; the grace period only delays their early return.
    opened.on("error", () => undefined);
    opened.once("end", again);
    client = opened;
    await opened.connect();
    // A broken connection that the server has not noticed may still hold the lock; then other workers also see it as
    // held.
    const { rows } = await opened.query("SELECT pg_try_advisory_lock($1, $2) AS held", [
      WORKER_LOCKS,
      worker,
    ]);
    if (rows[0]?.held !== true) await opened.end();
  }

  function again(): void {
    if (ended) return;
    clearTimeout(retry);
    retry = setTimeout(() => open().catch(again), RETRY_MS).unref();
  }

  await open();
  return {
    worker,
    async end() {
      ended = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}

/** Numbers of the workers that have jobs but currently no session. */
export async function silentWorkers(queries: Queries): Promise<number[]> {
  const { rows } = await queries.execute<{ worker: number }>(sql`
    SELECT DISTINCT worker FROM jobs WHERE state = 'STARTED' AND worker IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
        AND classid = ${WORKER_LOCKS}::integer::oid AND objid = worker::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`);
  return rows.map(({ worker }) => worker);
}
