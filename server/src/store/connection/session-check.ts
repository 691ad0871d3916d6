import type pg from "pg";
import { UsageError } from "../../config/usage-error.js";

/**
 * Name of a prepared statement on every connection. A pooler without support for prepared statements mixes up the statements of
 * its connections.
 */
const PREPARED = "asi_server_session";
const PID = "SELECT pg_backend_pid() AS pid";

/** SQLSTATEs invalid_sql_statement_name and duplicate_prepared_statement. */
const MIXED_UP = new Set(["26000", "42P05"]);

/**
 * Checks at the start that each connection has a dedicated session. The order in which two connections alternate makes a pooler
 * with a session per transaction change the session of one of them, whichever idle session it assigns.
 * @throws UsageError with the required settings
 */
export async function requireSessions(pool: pg.Pool, variable: string): Promise<void> {
  const [a, b] = await Promise.all([pool.connect(), pool.connect()]);
  try {
    const pids: number[] = [];
    for (const client of [a, b, b, a])
      pids.push((await client.query<{ pid: number }>(PID)).rows[0]?.pid ?? 0);
    const [ofA, ofB, thenOfB, thenOfA] = pids;
    if (ofA !== ofB && ofB === thenOfB && ofA === thenOfA) return;
  } finally {
    a.release();
    b.release();
  }
  throw new UsageError(
    `${variable} connects through a pooler that shares sessions between transactions, such as PgBouncer with pool_mode = transaction. ${
      variable === "DATABASE_DIRECT_URL"
        ? "It must refer to the server itself."
        : "Set DATABASE_DIRECT_URL to the server itself and DATABASE_PREPARED_STATEMENTS=false, or set pool_mode = session (docs/postgresql.md)."
    }`,
  );
}

/**
 * Checks that each connection keeps its prepared statements. The statements of two connections have the same name and different
 * results, so the check also detects a session that the other connection has prepared.
 * @throws UsageError when a prepared statement of a connection is missing or replaced in its next statement
 */
export async function requirePreparedStatements(pool: pg.Pool): Promise<void> {
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  const [a, b] = clients;
  try {
    // Check several times, because a connection may keep its session for a while if the pooler serves other clients.
    for (const client of [a, b, b, a, a, b, b, a]) {
      const of = client === a ? "a" : "b";
      const { rows } = await client.query<{ of: string }>({ name: PREPARED, text: `SELECT '${of}' AS of` });
      if (rows[0]?.of !== of) throw notKept();
    }
  } catch (error) {
    throw MIXED_UP.has(String((error as { code?: unknown }).code)) ? notKept() : error;
  } finally {
    // The statement must not remain in a session that other clients use.
    for (const client of clients) client.release(true);
  }
}

const notKept = () =>
  new UsageError(
    "The pooler of DATABASE_URL does not keep prepared statements. Set DATABASE_PREPARED_STATEMENTS=false, or max_prepared_statements of PgBouncer 1.21 or later.",
  );

/** Time for which a process is not ready after it has detected a changed session. */
const REMEMBERED_MS = 60_000;

/** Detects at run time that connections of a pool change their sessions, because a pooler may be reconfigured. */
export class SessionWatch {
  readonly #pids = new WeakMap<object, number>();
  #changedAtMs = Number.NEGATIVE_INFINITY;

  /** @param pid process id of the current session of the connection */
  saw(connection: object, pid: number): void {
    const before = this.#pids.get(connection);
    if (before !== undefined && before !== pid) this.#changedAtMs = performance.now();
    this.#pids.set(connection, pid);
  }

  get areShared(): boolean {
    return performance.now() - this.#changedAtMs < REMEMBERED_MS;
  }
}
