import { getTableName, type SQL, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { Config } from "../../config/config.js";
import * as schema from "../schema.js";

/**
 * Interval of the checks, ms. A PostgreSQL server checks once a minute. Here, the interval is shorter, because a query with an
 * outdated plan occupies the only connection.
 */
const CHECK_EVERY_MS = 2_000;

/**
 * Number of removed or of added rows after which even a large table is vacuumed. VACUUM reads only changed pages, but every request
 * waits for it: a tenth of a second for the 16 MiB of this number of rows with 2 KB, into which PostgreSQL divides long values.
 */
const MAX_CHANGED_ROWS = 8_192;

/**
 * Selects tables with enough changed rows, according to the rule and the settings of the autovacuum daemon (PostgreSQL, "Routine
 * Vacuuming"). Long values are in tables of their own (PostgreSQL, "TOAST"), which cannot be analyzed.
 */
const DUE = `
WITH rule AS (
  SELECT current_setting('autovacuum_vacuum_threshold')::float8 AS vacuum_base,
    current_setting('autovacuum_vacuum_scale_factor')::float8 AS vacuum_part,
    current_setting('autovacuum_vacuum_insert_threshold')::float8 AS insert_base,
    current_setting('autovacuum_vacuum_insert_scale_factor')::float8 AS insert_part,
    current_setting('autovacuum_analyze_threshold')::float8 AS analyze_base,
    current_setting('autovacuum_analyze_scale_factor')::float8 AS analyze_part
), tables AS (
  SELECT format('%I.%I', schemaname, table_stats.relname) AS name,
    n_dead_tup > least(vacuum_base + vacuum_part * greatest(reltuples, 0), $1)
      OR n_ins_since_vacuum > least(insert_base + insert_part * greatest(reltuples, 0), $1) AS is_dirty,
    relkind <> 't' AND n_mod_since_analyze > analyze_base + analyze_part * greatest(reltuples, 0) AS is_changed
  FROM pg_stat_all_tables AS table_stats JOIN pg_class ON oid = relid, rule WHERE schemaname <> 'pg_catalog'
)
SELECT name, is_dirty, is_changed FROM tables WHERE is_dirty OR is_changed ORDER BY name`;

interface DueTable {
  name: string;
  /** Whether the table has enough removed or added rows to be vacuumed. */
  is_dirty: boolean;
  /** Whether the table has enough changed rows to be analyzed. */
  is_changed: boolean;
}

const statementFor = ({ name, is_dirty, is_changed }: DueTable) =>
  is_dirty ? `VACUUM (PROCESS_TOAST false, ANALYZE ${is_changed}) ${name}` : `ANALYZE ${name}`;

/** Vacuums and analyzes the tables that need it, one after another. Other queries can run in between. */
export async function vacuumDue(pool: Pick<pg.Pool, "query">): Promise<void> {
  const { rows } = await pool.query<DueTable>(DUE, [MAX_CHANGED_ROWS]);
  for (const table of rows) await pool.query(statementFor(table));
}

/**
 * Replaces the autovacuum daemon in the embedded database. Without statistics, the planner assumes that a table is as small as at
 * the start, and dead rows remain in the indexes.
 * @returns function that stops it after the current statement
 */
export function startAutovacuum(pool: Pick<pg.Pool, "query">): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    // Skip a check while another one waits, because checks would queue up behind a long statement.
    if (running !== undefined) return;
    // Ignore errors, because a failed check is repeated and other queries report errors of the database.
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

/** All tables of the schema, and the table of the samples, which is not in it. */
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
 * Vacuuming"). Does nothing on a PostgreSQL server, which does this automatically.
 */
export async function vacuumTable({ queries, config }: Statements, table: string): Promise<void> {
  if (config.databaseUrl === null) await queries.execute(sql`VACUUM ${sql.identifier(table)}`);
}

/** Interval of the vacuums after loads. */
const AFTER_LOADS_EVERY_MS = 60_000;

const vacuumedAfterLoad = new WeakMap<Statements["queries"], number>();

/**
 * Vacuums the samples after a load, because clients will read them soon. Every request waits for the statement, so loads within a
 * minute after another vacuum are left to the next one, or to retention.
 */
export async function vacuumAfterLoad(on: Statements): Promise<void> {
  const last = vacuumedAfterLoad.get(on.queries) ?? Number.NEGATIVE_INFINITY;
  if (performance.now() - last < AFTER_LOADS_EVERY_MS) return;
  vacuumedAfterLoad.set(on.queries, performance.now());
  await vacuumTable(on, "sample_chunks");
}

/** Vacuums and analyzes all tables, one after another. Requests can run in between. */
export async function vacuumAll({ queries, config }: Statements): Promise<void> {
  if (config.databaseUrl !== null) return;
  for (const table of TABLES) await queries.execute(sql`VACUUM (ANALYZE) ${sql.identifier(table)}`);
}
