/** Tests the vacuum of the embedded database, which the jobs run because it has no vacuum process. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { vacuumDue } from "../src/store/embedded/vacuum.js";
import { removeUnused, writeBody } from "../src/store/queue/job-body.js";
import { newStore } from "./databases.js";
import { walk } from "./recordings.js";
import { TestService } from "./service.js";

/** Returns the number of all-visible pages of a table, which is zero before the first VACUUM. */
async function tidyPages({ store }: TestService, table: string): Promise<number> {
  const { rows } = await store.database.pool.query("SELECT relallvisible FROM pg_class WHERE relname = $1", [
    table,
  ]);
  return rows[0].relallvisible;
}

describe.runIf(process.env.TEST_DATABASE === "embedded")("the embedded database", () => {
  it("is vacuumed partly after a bulk load, and completely by retention", async () => {
    const s = await TestService.start(await newStore());
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    expect(await tidyPages(s, "sample_chunks")).toBe(0);
    await s.load(device, ann, await walk(device.serial_number, new Date().toISOString(), 10));
    expect(await tidyPages(s, "sample_chunks")).toBeGreaterThan(0);
    expect(await tidyPages(s, "accounts")).toBe(0);
    await applyRetention(s.computing);
    expect(await tidyPages(s, "accounts")).toBeGreaterThan(0);
  });

  it("detects soon that a table has grown, and frees the space of deleted rows", async () => {
    const { pool } = (await newStore()).database;
    const counted = async () => {
      const { rows } = await pool.query(
        "SELECT reltuples AS rows, relallvisible AS tidy FROM pg_class WHERE relname = 'throttle_counters'",
      );
      return rows[0];
    };
    await pool.query(
      "INSERT INTO throttle_counters (key, points, expire) SELECT i, 1, 0 FROM generate_series(1, 2000) AS i",
    );
    await vi.waitFor(async () => expect((await counted()).rows).toBe(2000), 20_000);
    await pool.query("DELETE FROM throttle_counters WHERE key::int % 2 = 0");
    await vi.waitFor(
      async () => expect(await counted()).toEqual({ rows: 1000, tidy: expect.any(Number) }),
      20_000,
    );
    expect((await counted()).tidy).toBeGreaterThan(0);
  });

  it("stores many large files in the space of the first ones, because it frees the space of removed ones", async () => {
    const { pool, queries } = (await newStore()).database;
    const file = randomBytes(8 * 1024 * 1024);
    const size = async () => (await pool.query("SELECT pg_table_size('job_bodies') AS bytes")).rows[0].bytes;
    const storeAndRemove = async () => {
      await removeUnused(queries, await writeBody(queries, new Date(), [file]));
      await pool.query("SELECT pg_stat_force_next_flush()");
      await vacuumDue(pool);
    };
    for (let i = 0; i < 10; i++) {
      await storeAndRemove();
      expect(await size()).toBeLessThan(3 * file.length);
    }
  });

  it("frees the space in a large table before a fifth of its rows is removed", async () => {
    const { pool } = (await newStore()).database;
    const counted = () => pool.query("SELECT pg_stat_force_next_flush()");
    await pool.query(
      "INSERT INTO throttle_counters (key, points, expire) SELECT i, 1, 0 FROM generate_series(1, 100000) AS i",
    );
    await counted();
    await pool.query("VACUUM (ANALYZE) throttle_counters");
    await pool.query("DELETE FROM throttle_counters WHERE key::int <= 8500");
    await counted();
    await vacuumDue(pool);
    const { rows } = await pool.query(
      "SELECT n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'throttle_counters'",
    );
    expect(rows).toEqual([{ dead: 0 }]);
  });
});

describe.runIf(process.env.TEST_DATABASE === "embedded")("the embedded database without autovacuum", () => {
  let s: TestService;
  beforeAll(async () => {
    s = await TestService.start(await newStore());
    return () => s.store.close();
  });

  /** Returns the fraction of a table's pages whose rows are all visible, which index-only scans can skip. */
  const tidyShare = async (table: string) => {
    const { rows } = await s.store.database.pool.query(
      "SELECT relallvisible::float / nullif(relpages, 0) AS share FROM pg_class WHERE relname = $1",
      [table],
    );
    return rows[0].share;
  };

  it("vacuums the samples after a load, once for several loads within a minute", async () => {
    const eve = await s.manager();
    const loaded = await s.longOwned(eve);
    const load = async (start: string) => s.load(loaded, eve, await walk(loaded.serial_number, start, 10));
    const vacuums = async () => {
      const { rows } = await s.store.database.pool.query(
        "SELECT vacuum_count AS count FROM pg_stat_user_tables WHERE relname = 'sample_chunks'",
      );
      return rows[0].count;
    };
    const before = await vacuums();
    await load("2024-03-01T10:00:00.000Z");
    expect(await tidyShare("sample_chunks")).toBe(1);
    expect(await vacuums()).toBe(before + 1);
    await load("2024-03-01T11:00:00.000Z");
    expect(await vacuums()).toBe(before + 1);
  });

  it("vacuums all other tables in the hourly retention", async () => {
    await s.manager();
    await s.store.database.pool.query("UPDATE accounts SET username = username");
    await applyRetention(s.ctx);
    expect(await tidyShare("accounts")).toBe(1);
    expect(await tidyShare("jobs")).toBe(1);
  });
});
