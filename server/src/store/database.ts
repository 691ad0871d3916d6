import { drizzle, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import pg from "pg";
import { startEmbedded } from "./embedded.js";
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
  close(): Promise<void>;
}

/** How long a query waits for a connection; with the embedded engine's only session, for the transaction before it. */
const CONNECTION_TIMEOUT_MS = 30_000;

/** Parsers by type: numbers as numbers (ids and counts stay below 2^53). */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === pg.types.builtins.INT8) return (value: string) => Number(value);
    return pg.types.getTypeParser(oid, format);
  },
} as pg.CustomTypesConfig;

/** How times are written is a setting of the session, and the server's own may be any. */
const onConnect = (client: pg.ClientBase) => client.query("SET TimeZone = 'UTC'; SET DateStyle = 'ISO'");

/**
 * Opens the database.
 * @param where `url` of a PostgreSQL server, or `folder` of the embedded engine (null: in memory)
 */
export async function openDatabase(
  where: { url: string; poolSize: number } | { folder: string | null },
): Promise<Database> {
  if ("url" in where) {
    const pool = new pg.Pool({
      Client: PreparingClient,
      onConnect,
      connectionString: where.url,
      max: where.poolSize,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      types,
    });
    return { queries: drizzle(pool), pool, kind: "postgres", close: () => pool.end() };
  }
  const engine = await startEmbedded(where.folder);
  const pool = new pg.Pool({
    Client: PreparingClient,
    onConnect,
    max: 1,
    user: "postgres",
    database: "postgres",
    ssl: false,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    stream: engine.connect,
    types,
  });
  return {
    queries: drizzle(pool),
    pool,
    kind: "embedded",
    async close() {
      await pool.end();
      await engine.close();
    },
  };
}
