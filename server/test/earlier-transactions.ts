import { sql } from "drizzle-orm";
import { expect } from "vitest";
import type { TestService } from "./service.js";

/**
 * Waits until all earlier transactions have ended, including transactions of other tests in other databases of the same server.
 * The service lists changes only after that.
 */
export async function earlierTransactionsEnded({ store }: TestService): Promise<void> {
  const { queries } = store.database;
  const { rows } = await queries.execute<{ xid: string }>(sql`SELECT pg_current_xact_id()::text AS xid`);
  const oldest = async () => {
    const found = await queries.execute<{ xid: string }>(
      sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid`,
    );
    return BigInt(found.rows[0]?.xid ?? 0);
  };
  await expect.poll(oldest).toBeGreaterThan(BigInt(rows[0]?.xid ?? 0));
}
