import pg from "pg";
import { expect } from "vitest";
import type { TestService } from "./service.js";

/** Begins a transaction in another PostgreSQL session that holds a lock, so that others wait. */
export async function hold(s: TestService, statement: string) {
  const url = (s.store as { databaseUrl?: string | null }).databaseUrl ?? "";
  const client = new pg.Client(url);
  const observer = new pg.Client(url);
  await Promise.all([client.connect(), observer.connect()]);
  await client.query(`BEGIN; ${statement}`);
  return {
    client,
    /** Waits until the given number of sessions in this database wait for a lock. */
    async waiters(count: number) {
      const waiting = async () =>
        Number(
          (
            await observer.query(
              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
            )
          ).rows[0].count,
        );
      await expect.poll(waiting, { interval: 20 }).toBe(count);
    },
    async release() {
      await client.query("COMMIT");
      await Promise.all([client.end(), observer.end()]);
    },
  };
}
