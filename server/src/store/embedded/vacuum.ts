import { getTableName, type SQL, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { Config } from "../../config/config.js";
import * as schema from "../schema.js";

/**
 * How often the tables are checked, ms. A server checks once a minute; but there a query with an outdated plan takes one
 * connection of many, and here it takes the only one.
 */
const CHECK_EVERY_MS = 2_000;

/** Only the retention vacuums a larger table: the statement keeps every request waiting. */
const MAX_VACUUMED_BYTES = 8 * 1024 * 1024;

/**
 * Tables with enough changed rows by the rule of the autovacuum daemon and its settings (PostgreSQL, "Routine
 * Vacuuming").
 */
const DUE = `
WITH rule AS (
  SELECT current_setting('autovacuum_vacuum_threshold')::float8 AS vacuum_base,
    current_setting('autovacuum_vacuum_scale_factor')::float8 AS vacuum_part,
    current_setting('autovacuum_analyze_threshold')::float8 AS analyze_base,
    current_setting('autovacuum_analyze_scale_factor')::float8 AS analyze_part
), tables AS (
  SELECT format('%I.%I', schemaname, relname) AS name,
    n_dead_tup > vacuum_base + vacuum_part * greatest(reltuples, 0) AND pg_table_size(oid) <= $1 AS is_dead,
    n_mod_since_analyze > analyze_base + analyze_part * greatest(reltuples, 0) AS is_changed
  FROM pg_stat_user_tables JOIN pg_class USING (relname), rule WHERE oid = relid
)
SELECT name, is_dead, is_changed FROM tables WHERE is_dead OR is_changed ORDER BY name`;

interface DueTable {
  name: string;
  /** Has enough dead rows to be vacuumed. */
  is_dead: boolean;
  /** Has enough changed rows to be analyzed. */
  is_changed: boolean;
}

const statementFor = ({ name, is_dead, is_changed }: DueTable) =>
  is_dead ? `VACUUM ${is_changed ? "(ANALYZE) " : ""}${name}` : `ANALYZE ${name}`;

/** Vacuums and analyzes the tables that need it, one after another, so that other queries get their turns. */
export async function vacuumDue(pool: Pick<pg.Pool, "query">): Promise<void> {
  const { rows } = await pool.query<DueTable>(DUE, [MAX_VACUUMED_BYTES]);
  for (const table of rows) await pool.query(statementFor(table));
}

/**
 * Does for the embedded database what a server's autovacuum daemon does: without statistics the planner takes a table for
 * as small as it was at the start, and dead rows stay in the indexes.
 * @returns stops it, after the statement that runs
 */
export function startAutovacuum(pool: Pick<pg.Pool, "query">): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    // Checks that wait for a long statement would otherwise queue up, and then run one after another for nothing.
    if (running !== undefined) return;
    // A check that fails is repeated; queries that matter report the error themselves.
    running = vacuumDue(pool)
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
  }, CHECK_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Every table; that of the samples is not in the schema. */
const TABLES = [
  "sample_chunks",
  ...Object.values(schema)
    .filter((table) => table instanceof PgTable)
    .map(getTableName),
];

interface Statements {
  queries: { execute(statement: SQL): PromiseLike<unknown> };
  config: Pick<Config, "databaseUrl">;
}

/**
 * Frees the space of replaced and removed rows, and lets queries read from an index alone (PostgreSQL, "Routine
 * Vacuuming"). A PostgreSQL server does this automatically, so nothing happens there; the embedded database has no
 * process for it.
 */
export async function vacuumTable({ queries, config }: Statements, table: string): Promise<void> {
  if (config.databaseUrl === null) await queries.execute(sql`VACUUM ${sql.identifier(table)}`);
}

/**
 * The same for every table, one after another so that requests get their turn, with the statistics for the query
 * planner.
 */
export async function vacuumAll({ queries, config }: Statements): Promise<void> {
  if (config.databaseUrl !== null) return;
  for (const table of TABLES) await queries.execute(sql`VACUUM (ANALYZE) ${sql.identifier(table)}`);
}
