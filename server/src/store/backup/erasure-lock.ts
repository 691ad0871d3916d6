import pg from "pg";
import type { Database } from "../connection/database.js";

/** The advisory lock of the process that erases the accounts of a restored backup again. */
const ERASURE_LOCK = 7_340_005;

/**
 * Runs `work` while no other process does so on the same database; waits for it without a time limit. PostgreSQL releases the
 * lock with its connection, which is a separate one: it takes no place in the pool from the work. The embedded database has one
 * process.
 */
export async function withErasureLock(
  { kind, direct }: Pick<Database, "kind" | "direct">,
  work: () => Promise<void>,
): Promise<void> {
  if (kind === "embedded") return work();
  const client = new pg.Client(direct.options);
  // Losing the connection loses the lock. What two processes then do at once is right too, only not counted once.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SET lock_timeout = 0");
    await client.query("SET statement_timeout = 0");
    await client.query("SELECT pg_advisory_lock($1)", [ERASURE_LOCK]);
    await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}
