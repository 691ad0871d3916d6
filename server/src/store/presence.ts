import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { onBehalfOf } from "../callers.js";
import type { Database } from "./database.js";

/** Names the lock that every running server of a PostgreSQL database shares. */
const PRESENCE_LOCK = 7_340_002;

/** How soon a lost sign is put up again. */
const RENEWAL_MS = 500;

/**
 * Shows in PostgreSQL that a server runs, so that a restore can refuse. A sign that is lost with its connection is put up
 * again as soon as the database takes it. The embedded database needs no such sign: its folder is locked.
 * @returns ends it
 */
export async function showPresence({ kind, pool }: Database): Promise<() => void> {
  if (kind === "embedded") return () => undefined;
  let held: pg.PoolClient | undefined;
  let renewal: NodeJS.Timeout | undefined;
  let over = false;
  // A caller of its own: the connection is kept for good, and would be missing in the turns of the service's work.
  const name = `presence ${randomUUID()}`;

  async function hold(): Promise<void> {
    const client = await onBehalfOf({ name, group: name }, () => pool.connect());
    try {
      // Waits for the end of a restore, however long.
      await client.query("SET lock_timeout = 0; SET statement_timeout = 0");
      await client.query("SELECT pg_advisory_lock_shared($1)", [PRESENCE_LOCK]);
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (over) return client.release(true);
    held = client;
    client.once("end", () => {
      if (held !== client) return;
      held = undefined;
      client.release(true);
      renew();
    });
  }

  function renew(): void {
    if (over) return;
    // Where the database is away, the next try follows.
    renewal = setTimeout(() => hold().catch(renew), RENEWAL_MS);
    renewal.unref();
  }

  await hold();
  return () => {
    over = true;
    clearTimeout(renewal);
    const client = held;
    held = undefined;
    client?.release(true);
  };
}

async function serversWait(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [PRESENCE_LOCK],
  );
  return rows.length > 0;
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
    // A server whose sign was lost with its connection puts it up again, and now waits to.
    await sleep(3 * RENEWAL_MS);
    if (await serversWait(client)) return false;
    await work();
    return true;
  } finally {
    client.release(true);
  }
}
