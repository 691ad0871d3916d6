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
 * A statement with placeholders that the query builder builds once for each database, not for each request. Building it
 * takes longer than the database needs to run it.
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
   * Connections that each have a session of their own, for migrations and for locks that last: the pool itself, unless it
   * goes through a pooler.
   */
  direct: pg.Pool;
  kind: "embedded" | "postgres";
  /** Watches the servers that have samples, if there are some; null for the embedded database. */
  sampleServers: SampleServerWatch | null;
  /** Copies the files of one state of the embedded database into a folder; null for PostgreSQL and a database in memory. */
  copyTo: ((folder: string) => Promise<void>) | null;
  close(): Promise<void>;
}

/** Parsers by type. Numbers become numbers, because ids and counts are below 2^53. */
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

/** The format of times is a setting of the session, and the server may have any default. */
const STYLE = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'";

/**
 * The server ends statements and transactions that take too long, so that one request does not block a connection or
 * a lock.
 */
const bounds = ({ statementMs, lockMs, idleInTransactionMs }: SessionTimeouts) => `
  SET statement_timeout = ${statementMs};
  SET lock_timeout = ${lockMs};
  SET idle_in_transaction_session_timeout = ${idleInTransactionMs}`;

/** A PostgreSQL server, and how to connect to it. */
export interface PostgresServer {
  url: string;
  poolSize: number;
  timeouts?: SessionTimeouts;
  /** The same database without the pooler of `url`; null or absent when `url` has none. */
  directUrl?: string | null;
  /** Whether statements are prepared; default true. */
  prepares?: boolean;
  /** Default for URLs without TLS parameters. */
  tls?: TlsSettings;
  /** Maximum time that connecting may take, and that a response may take, ms; default: 30 s, and any time. */
  timeoutMs?: number;
}

/** Connections for the server lock, for a migration or a restore, and one to spare. */
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
 * A pool for a server.
 * @param isPooled whether a pooler lends sessions for a transaction each. It restores the format of times for each client
 *   (PgBouncer, "track_extra_parameters"), but no timeouts: they would stay in sessions that others use.
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

/** A pool that survives the loss of its connections. */
function resilientPool(config: pg.PoolConfig & PreparingClientConfig & { max: number }): FairPool {
  const pool = new FairPool({ ...config, Client: PreparingClient, types });
  // The next query replaces an idle connection that breaks. Without a listener, the error would end the process.
  pool.on("error", () => undefined);
  // The pool then removes the connection.
  pool.on("release", (_error, client) => {
    if (client instanceof PreparingClient && client.isReadOnly) client.end().catch(() => undefined);
  });
  return pool;
}

/**
 * The query builder with its own transactions, because those of drizzle leak a connection that breaks before they start.
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
