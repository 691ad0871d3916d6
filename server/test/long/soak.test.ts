import { describe, expect, it } from "vitest";
import { soak } from "../../soak/soak.js";
import { stopAfterTest } from "../cleanup.js";
import { startPostgres } from "../postgres.js";

/** Duration of the soak. The first third fills the caches. */
const MINUTES = 1;
const INTERVAL_MS = 150;

/** A PostgreSQL server checks once a minute which tables need a vacuum. Here two seconds correspond to a day of the service. */
const VACUUM_EVERY = "autovacuum_naptime=1s";

async function newPostgres(): Promise<string> {
  const server = await startPostgres({ settings: [VACUUM_EVERY] });
  stopAfterTest(() => server.stop());
  return `${server.url}postgres`;
}

describe("a short soak", () => {
  it("ends without growth of memory and tables and without unexpected responses", async () => {
    const databaseUrl = process.env.TEST_DATABASE === "postgres" ? await newPostgres() : null;
    const { requests, surprises, growing } = await soak({
      minutes: MINUTES,
      intervalMs: INTERVAL_MS,
      databaseUrl,
    });
    expect(surprises).toEqual([]);
    expect(growing).toEqual([]);
    expect(requests).toBeGreaterThan(200);
  });
});
