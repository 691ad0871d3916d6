import type pg from "pg";
import { UsageError } from "../../config/usage-error.js";

/**
 * Name of a prepared statement on every connection. A pooler without support for prepared statements mixes up the statements of
 * its connections.
 */
const PREPARED = "asi_server_session";
const SESSION = "SELECT pg_backend_pid() AS session";

/** SQLSTATEs invalid_sql_statement_name and duplicate_prepared_statement. */
const MIXED_UP = new Set(["26000", "42P05"]);

const isMixedUp = (error: unknown): boolean => MIXED_UP.has(String((error as { code?: unknown }).code));

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
      pids.push((await client.query<{ session: number }>(SESSION)).rows[0]?.session ?? 0);
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
    throw isMixedUp(error) ? notKept() : error;
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
  readonly #sessions = new WeakMap<object, unknown>();
  #changedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Checks a connection of the pool.
   * @param isPooled whether a pooler may assign a session per transaction. It must then keep the prepared statements of a
   *   connection, unless the service prepares none. The text of the statement differs for each connection, as in
   *   `requirePreparedStatements`.
   */
  async check(client: pg.PoolClient, isPooled: boolean): Promise<void> {
    const own = (client as { processID?: number }).processID ?? 0;
    const statement = isPooled ? { name: PREPARED, text: `SELECT ${own} AS session` } : SESSION;
    try {
      const { rows } = await client.query<{ session: unknown }>(statement);
      const session = rows[0]?.session;
      const before = this.#sessions.get(client) ?? session;
      this.#sessions.set(client, session);
      if (before === session) return;
    } catch (error) {
      if (!isMixedUp(error)) throw error;
    }
    this.#changedAtMs = performance.now();
  }

  get areShared(): boolean {
    return performance.now() - this.#changedAtMs < REMEMBERED_MS;
  }
}
