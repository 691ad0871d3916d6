import { getTableName, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import type { Context } from "../domain/context.js";
import * as schema from "../store/schema.js";

/** Every table; that of the samples is not in the schema. */
const TABLES = [
  "sample_chunks",
  ...Object.values(schema)
    .filter((table) => table instanceof PgTable)
    .map(getTableName),
];

/**
 * Frees the room of rows that were replaced or removed, and lets queries read from an index alone (PostgreSQL, "Routine
 * Vacuuming"). A PostgreSQL server does so on its own, the embedded database has no process that would; nothing happens
 * on the former.
 */
export async function vacuumEmbedded({ queries, config }: Context, table: string): Promise<void> {
  if (config.databaseUrl === null) await queries.execute(sql`VACUUM ${sql.identifier(table)}`);
}

/** The same for every table, one after the other so that requests have their turn, with the figures that queries are planned by. */
export async function vacuumAllEmbedded(ctx: Context): Promise<void> {
  if (ctx.config.databaseUrl !== null) return;
  for (const table of TABLES) await ctx.queries.execute(sql`VACUUM (ANALYZE) ${sql.identifier(table)}`);
}
