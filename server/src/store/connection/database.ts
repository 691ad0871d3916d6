import type { Logger } from "drizzle-orm/logger";
import { drizzle, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import pg from "pg";
import { startEmbedded } from "../embedded/embedded.js";
import { startAutovacuum } from "../embedded/vacuum.js";
import { SampleServerWatch, watchConnection } from "../placement/watch.js";
import { FairPool } from "./fair-pool.js";
import { PreparingClient, type PreparingClientConfig } from "./preparing-client.js";
import { type TlsSettings, tlsConnection } from "./tls.js";

/** Runs queries: the database or a transaction. */
export type Queries = PgDatabase<NodePgQueryResultHKT>;

/**
 * Returns a function that builds a statement with placeholders once per database instead of once per request, because building it
 * takes longer than running it.
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

/** An open database. PostgreSQL and the embedded engine differ only in their connections. */
export interface Database {
  queries: Queries;
  pool: FairPool;
  /**
   * Connections with dedicated sessions, for migrations and session-level locks. Without a pooler, this is the pool
   * itself.
   */
  direct: pg.Pool;
  kind: "embedded" | "postgres";
  /** Watches sample servers, if any; null for the embedded database. */
  sampleServers: SampleServerWatch | null;
  /** Copies a snapshot of the files of the embedded database to a folder; null for PostgreSQL and a database in memory. */
  copyTo: ((folder: string) => Promise<void>) | null;
  close(): Promise<void>;
}

/** Parsers by type. They parse integers as numbers, because ids and counts are below 2^53. */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === pg.types.builtins.INT8) return (value: string) => Number(value);
    return pg.types.getTypeParser(oid, format);
  },
} as pg.CustomTypesConfig;

/** Timeouts of a session, in ms; 0 for none. */
export interface SessionTimeouts {
  /** Maximum duration of a statement. */
  statementMs: number;
  /** Maximum time that a statement waits for a lock. */
  lockMs: number;
  /** Maximum time between two statements of a transaction. */
  idleInTransactionMs: number;
}

const NO_TIMEOUTS: SessionTimeouts = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

/** Sets the format of times, because the server may have any default. */
const STYLE = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'";

/** Returns the statements that set the timeouts of a session. Without timeouts, a request could block a connection or a lock. */
const bounds = ({ statementMs, lockMs, idleInTransactionMs }: SessionTimeouts) => `
  SET statement_timeout = ${statementMs};
  SET lock_timeout = ${lockMs};
  SET idle_in_transaction_session_timeout = ${idleInTransactionMs}`;

/** Connection settings of a PostgreSQL server. */
export interface PostgresServer {
  url: string;
  poolSize: number;
  timeouts?: SessionTimeouts;
  /** URL of the same database without a pooler; null or absent when `url` uses none. */
  directUrl?: string | null;
  /** Whether to prepare statements; default true. */
  prepares?: boolean;
  /** Default for URLs without TLS parameters. */
  tls?: TlsSettings;
  /** Maximum time for connecting and for a response, ms; defaults: 30 s and unlimited. */
  timeoutMs?: number;
}

/** Number of connections: one for the server lock, one for a migration or a restore, and one spare. */
const DIRECT_POOL_SIZE = 3;

/**
 * Opens the database.
 * @param where a PostgreSQL server, or `folder` of the embedded engine (null: in memory)
 * @throws UsageError when the TLS settings of a URL are wrong
 */
export async function openDatabase(where: PostgresServer | { folder: string | null }): Promise<Database> {
  if ("url" in where) {
    const isPooled = typeof where.directUrl === "string";
    let watch: SampleServerWatch | undefined;
    const pool = serverPool(where, where.url, where.poolSize, isPooled, () => watch);
    watch = new SampleServerWatch(pool, () =>
      watchConnection(tlsConnection(where.directUrl ?? where.url, where.tls)),
    );
    const direct = isPooled ? serverPool(where, where.directUrl ?? "", DIRECT_POOL_SIZE, false) : pool;
    return {
      queries: queriesOf(pool),
      pool,
      direct,
      kind: "postgres",
      sampleServers: watch,
      copyTo: null,
      async close() {
        if (direct !== pool) await direct.end();
        await pool.end();
      },
    };
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
    direct: pool,
    kind: "embedded",
    sampleServers: null,
    copyTo: where.folder === null ? null : engine.copyTo,
    async close() {
      await stopAutovacuum();
      await pool.end();
      await engine.close();
    },
  };
}

/**
 * Creates a connection pool for a server.
 * @param isPooled whether a pooler assigns a session per transaction. It restores the format of times for each client (PgBouncer,
 *   "track_extra_parameters"), but not timeouts, which would remain in sessions of other clients.
 */
function serverPool(
  { timeouts = NO_TIMEOUTS, prepares, tls, timeoutMs }: PostgresServer,
  url: string,
  max: number,
  isPooled: boolean,
  sampleServers?: () => SampleServerWatch | undefined,
): FairPool {
  const prepare = isPooled ? STYLE : `${STYLE}; ${bounds(timeouts)}`;
  return resilientPool({
    onConnect: (client) => client.query(prepare),
    ...tlsConnection(url, tls),
    max,
    prepares: prepares ?? true,
    ...(sampleServers === undefined ? {} : { sampleServers }),
    ...(timeoutMs === undefined ? {} : { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs }),
    // Keepalive also detects a vanished server on idle connections.
    keepAlive: true,
  });
}

/** Creates a pool that survives the loss of its connections. */
function resilientPool(config: pg.PoolConfig & PreparingClientConfig & { max: number }): FairPool {
  const pool = new FairPool({ ...config, Client: PreparingClient, types });
  // The next query replaces a broken idle connection. Without a listener, the error would end the process.
  pool.on("error", () => undefined);
  // After an error, the pool removes the connection.
  pool.on("release", (_error, client) => {
    if (client instanceof PreparingClient && client.isReadOnly) client.end().catch(() => undefined);
  });
  return pool;
}

/**
 * Returns the query builder with its own transactions, because transactions of drizzle leak a connection that breaks before they
 * start.
 * @param logger receives every statement
 */
export function queriesOf(pool: pg.Pool, logger: Logger | false = false): Queries {
  const queries = drizzle(pool, { logger });
  queries.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client, { logger }).transaction(work, config);
    } finally {
      // Discard a connection whose transaction could not be rolled back.
      client.release(client.getTransactionStatus() !== "I");
    }
  };
  return queries;
}
