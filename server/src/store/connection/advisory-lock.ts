import pg from "pg";
import { UsageError } from "../../config/usage-error.js";
import type { Database } from "./database.js";

/** Session-level advisory locks of the service; arbitrary numbers. */
const LOCKS = {
  /** Held by the process that migrates, while others wait. */
  migrations: 7_340_001,
  /** Held in shared mode by every running server of a PostgreSQL database. */
  servers: 7_340_002,
  /** Held by the command that moves the samples. */
  moves: 7_340_003,
  /** Held by the process that erases the accounts of a restored backup again. */
  erasures: 7_340_005,
};

type Lock = keyof typeof LOCKS;

/** A connection with a dedicated session. PostgreSQL releases the locks of a session when it ends. */
interface Session {
  query<R extends object>(text: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** @returns false when another session has the lock */
export async function tryLock(session: Session, lock: Lock): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [
    LOCKS[lock],
  ]);
  return rows[0]?.locked === true;
}

/** Waits for the lock. Disables the statement timeout of the session. */
export async function waitForLock(session: Session, lock: Lock, mode: "" | "_shared" = ""): Promise<void> {
  await session.query("SET lock_timeout = 0; SET statement_timeout = 0");
  await session.query(`SELECT pg_advisory_lock${mode}($1)`, [LOCKS[lock]]);
}

export async function unlock(session: Session, lock: Lock): Promise<void> {
  await session.query("SELECT pg_advisory_unlock($1)", [LOCKS[lock]]);
}

/** Whether a session of this database waits for the lock. */
export async function isAwaited(session: Session, lock: Lock): Promise<boolean> {
  const { rows } = await session.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [LOCKS[lock]],
  );
  return rows.length > 0;
}

/**
 * Runs work that moves the samples while it holds the lock for moves.
 * @throws UsageError when another command moves them
 */
export async function whileNoneMoves<T>(session: Session, work: () => Promise<T>): Promise<T> {
  if (!(await tryLock(session, "moves"))) {
    throw new UsageError("Another command is moving the samples. Wait until it has ended.");
  }
  try {
    return await work();
  } finally {
    await unlock(session, "moves").catch(() => undefined);
  }
}

/**
 * Runs `work` while no other process erases the accounts of a restored backup; waits for other processes without a time
 * limit. Uses a separate connection, which leaves the whole pool to the work. The embedded database has only one
 * process.
 */
export async function whileNoneErases(
  { kind, direct }: Pick<Database, "kind" | "direct">,
  work: () => Promise<void>,
): Promise<void> {
  if (kind === "embedded") return work();
  const client = new pg.Client(direct.options);
  // Losing the connection releases the lock. Two processes that work concurrently produce a correct result, but count
  // it twice.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await waitForLock(client, "erasures");
    await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}
