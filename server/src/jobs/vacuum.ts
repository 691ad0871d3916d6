import { sql } from "drizzle-orm";
import type { Context } from "../domain/context.js";

/**
 * Frees the room of rows that were replaced or removed, and lets queries read from indexes alone (PostgreSQL, "Routine
 * Vacuuming"). A PostgreSQL server does so on its own, the embedded database has no process that would; nothing happens
 * on the former.
 * @param table all of them unless told
 */
export async function vacuumEmbedded({ queries, config }: Context, table?: string): Promise<void> {
  if (config.databaseUrl !== null) return;
  const what = table === undefined ? sql.empty() : sql.identifier(table);
  await queries.execute(sql`VACUUM (ANALYZE) ${what}`);
}
