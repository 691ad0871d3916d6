import { sql } from "drizzle-orm";
import type { Queries } from "./database.js";

/**
 * Waits for the lock with this name, and holds it until the end of the transaction. Serializes transactions that do not lock a
 * common row, for example because they count rows.
 */
export async function lockInTransaction(queries: Queries, name: string): Promise<void> {
  await queries.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
