import type { Logger } from "drizzle-orm/logger";
import { drizzle, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import pg from "pg";
import { startAutovacuum } from "./autovacuum.js";
import { startEmbedded } from "./embedded.js";
import { FairPool } from "./fair-pool.js";
import { PreparingClient } from "./preparing-client.js";

/** Where queries run: the database, or a transaction of it. */
export type Queries = PgDatabase<NodePgQueryResultHKT>;

/**
 * A statement with placeholders that the query builder puts together once for each database, not for each request, which
 * takes it longer than the database needs to answer.
 */
export function preparedOnce<Statement>(
  prepare: (queries: Queries) => Statement,
): (queries: Queries) => Statement {
  const prepared = new WeakMap<Queries, Statement>();
  return (queries) => {
    const statement = prepared.get(queries) ?? prepare(queries);
    prepared.set(queries, statement);
    return statement;
  };
}

/** An open database. PostgreSQL and the embedded engine differ in nothing but where the bytes go. */
export interface Database {
  queries: Queries;
  pool: pg.Pool;
  kind: "embedded" | "postgres";
  /** Copies the files of the embedded database into a folder, as of one moment; null where there are none. */
  copyTo: ((folder: string) => Promise<void>) | null;
  close(): Promise<void>;
}

/** Parsers by type: numbers as numbers (ids and counts stay below 2^53). */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === pg.types.builtins.INT8) return (value: string) => Number(value);
    return pg.types.getTypeParser(oid, format);
  },
} as pg.CustomTypesConfig;

/** Timeouts of a session, in ms; 0 for none. */
export interface SessionTimeouts {
  /** Of one statement. */
  statementMs: number;
  /** Of a statement's wait for a lock. */
  lockMs: number;
  /** Of a transaction's stand between two statements. */
  idleInTransactionMs: number;
}

const NO_TIMEOUTS: SessionTimeouts = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

/** How times are written is a setting of the session, and the server's own may be any. */
const STYLE = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'";

/**
 * The server ends statements and transactions that take too long, so that one request does not block a connection or
 * a lock.
 */
const bounds = ({ statementMs, lockMs, idleInTransactionMs }: SessionTimeouts) => `
  SET statement_timeout = ${statementMs};
  SET lock_timeout = ${lockMs};
  SET idle_in_transaction_session_timeout = ${idleInTransactionMs}`;

/**
 * Opens the database.
 * @param where `url` of a PostgreSQL server, or `folder` of the embedded engine (null: in memory)
 */
export async function openDatabase(
  where: { url: string; poolSize: number; timeouts?: SessionTimeouts } | { folder: string | null },
): Promise<Database> {
  if ("url" in where) {
    const prepare = `${STYLE}; ${bounds(where.timeouts ?? NO_TIMEOUTS)}`;
    const pool = resilientPool({
      onConnect: (client) => client.query(prepare),
      connectionString: where.url,
      max: where.poolSize,
      // Keepalive also detects a vanished server on idle connections.
      keepAlive: true,
    });
    return { queries: queriesOf(pool), pool, kind: "postgres", copyTo: null, close: () => pool.end() };
  }
  const engine = await startEmbedded(where.folder);
  // The embedded database has no statement timeout, and an idle transaction timeout would end the engine.
  const pool = resilientPool({
    onConnect: (client) => client.query(STYLE),
    max: 1,
    user: "postgres",
    database: "postgres",
    ssl: false,
    idleTimeoutMillis: 0,
    stream: engine.connect,
  });
  const stopAutovacuum = startAutovacuum(pool);
  return {
    queries: queriesOf(pool),
    pool,
    kind: "embedded",
    copyTo: where.folder === null ? null : engine.copyTo,
    async close() {
      await stopAutovacuum();
      await pool.end();
      await engine.close();
    },
  };
}

/** A pool that outlives its connections. */
function resilientPool(config: pg.PoolConfig & { max: number }): pg.Pool {
  const pool = new FairPool({ ...config, Client: PreparingClient, types });
  // A connection that breaks while nobody uses it is replaced by the next query. Without a listener it ends the process.
  pool.on("error", () => undefined);
  // The pool removes it then.
  pool.on("release", (_error, client) => {
    if (client instanceof PreparingClient && client.isReadOnly) client.end().catch(() => undefined);
  });
  return pool;
}

/**
 * The query builder; its own transactions lose a place of the pool whenever the connection breaks before they begin.
 * @param logger receives every statement
 */
export function queriesOf(pool: pg.Pool, logger: Logger | false = false): Queries {
  const queries = drizzle(pool, { logger });
  queries.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client, { logger }).transaction(work, config);
    } finally {
      // A connection whose transaction could not be rolled back is not reused.
      client.release(client.getTransactionStatus() !== "I");
    }
  };
  return queries;
}
