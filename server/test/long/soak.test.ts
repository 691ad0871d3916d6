import { describe, expect, it } from "vitest";
import { soak } from "../../soak/soak.js";
import { stopAfterTest } from "../cleanup.js";
import { startPostgres } from "../postgres.js";

/** The first third fills the caches. */
const MINUTES = 1;
const INTERVAL_MS = 150;

/** A PostgreSQL server checks tables for vacuum once a minute; here a day of the service lasts two seconds. */
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
