import { sql } from "drizzle-orm";
import type { Queries } from "./database.js";
import { migrations } from "./migrations/index.js";

/** Any constant will do: it names the lock that lets one process migrate while others wait. */
const MIGRATION_LOCK = 7_340_001;

/**
 * Brings the database to the newest schema, in one transaction: wholly or not at all. Any number of processes may
 * call it at once; each migration is applied once.
 * @returns names of the migrations applied by this call
 */
export async function migrate(queries: Queries): Promise<string[]> {
  return queries.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tx.execute(
      sql`CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const known = new Set((await tx.execute(sql`SELECT name FROM migrations`)).rows.map((row) => row.name));
    const missing = migrations.filter(({ name }) => !known.has(name));
    for (const migration of missing) {
      await tx.execute(sql.raw(migration.sql));
      await tx.execute(sql`INSERT INTO migrations (name) VALUES (${migration.name})`);
    }
    return missing.map(({ name }) => name);
  });
}
