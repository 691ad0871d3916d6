import type { Database } from "./database.js";

/** Names the lock that every running server of a PostgreSQL database shares. */
const PRESENCE_LOCK = 7_340_002;

/**
 * Shows in PostgreSQL that a server runs, so that a restore can refuse. The embedded database needs no such sign: its
 * folder is locked.
 * @returns ends it
 */
export async function showPresence({ kind, pool }: Database): Promise<() => void> {
  if (kind === "embedded") return () => undefined;
  const client = await pool.connect();
  // A lost connection loses the lock with it; nothing else hangs on it.
  client.on("error", () => undefined);
  await client.query("SELECT pg_advisory_lock_shared($1)", [PRESENCE_LOCK]);
  return () => client.release(true);
}

/** Runs `work` while no server runs and none can start. @returns false when one runs */
export async function withoutServers({ kind, pool }: Database, work: () => Promise<void>): Promise<boolean> {
  if (kind === "embedded") {
    await work();
    return true;
  }
  const client = await pool.connect();
  try {
    const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS free", [PRESENCE_LOCK]);
    if (rows[0]?.free !== true) return false;
    await work();
    return true;
  } finally {
    client.release(true);
  }
}
