import pg from "pg";
import { expect } from "vitest";
import type { TestService } from "./service.js";

/** A transaction of another session of PostgreSQL that holds what others wait for. */
export async function hold(s: TestService, statement: string) {
  const url = (s.store as { databaseUrl?: string | null }).databaseUrl ?? "";
  const client = new pg.Client(url);
  const observer = new pg.Client(url);
  await Promise.all([client.connect(), observer.connect()]);
  await client.query(`BEGIN; ${statement}`);
  return {
    client,
    /** Returns when so many sessions of this database wait for a lock. */
    async waiters(count: number) {
      const waiting = async () =>
        Number(
          (
            await observer.query(
              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
            )
          ).rows[0].count,
        );
      await expect.poll(waiting, { interval: 20, timeout: 10_000 }).toBe(count);
    },
    async release() {
      await client.query("COMMIT");
      await Promise.all([client.end(), observer.end()]);
    },
  };
}
