import { getTableName, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import type { Context } from "../domain/change/context.js";
import * as schema from "../store/schema.js";

/** Every table; that of the samples is not in the schema. */
const TABLES = [
  "sample_chunks",
  ...Object.values(schema)
    .filter((table) => table instanceof PgTable)
    .map(getTableName),
];

/**
 * Frees the space of replaced and removed rows, and lets queries read from an index alone (PostgreSQL, "Routine
 * Vacuuming"). A PostgreSQL server does this automatically, so nothing happens there; the embedded database has no
 * process for it.
 */
export async function vacuumEmbedded({ queries, config }: Context, table: string): Promise<void> {
  if (config.databaseUrl === null) await queries.execute(sql`VACUUM ${sql.identifier(table)}`);
}

/**
 * The same for every table, one after another so that requests get their turn, with the statistics for the query
 * planner.
 */
export async function vacuumAllEmbedded(ctx: Context): Promise<void> {
  if (ctx.config.databaseUrl !== null) return;
  for (const table of TABLES) await ctx.queries.execute(sql`VACUUM (ANALYZE) ${sql.identifier(table)}`);
}
