import { randomBytes } from "node:crypto";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { UsageError } from "../src/config/usage-error.js";
import { type Database, openDatabase } from "../src/store/connection/database.js";
import { holdServerLock } from "../src/store/connection/server-lock.js";
import { migrations } from "../src/store/migrations/index.js";
import { migrate, requireOwnSchema } from "../src/store/migrations/migrate.js";
import type { Migration } from "../src/store/migrations/migration.js";
import * as schema from "../src/store/schema.js";
import { newDatabase } from "./databases.js";
import { Processes } from "./processes.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

describe("migrations", () => {
  it("are applied once, even if requested repeatedly", async () => {
    const { database } = await newDatabase();
    onTestFinished(() => database.close());
    const both = await Promise.all([migrate(database), migrate(database)]);
    expect(both.flat()).toContain("0001-first");
    expect(both.some((applied) => applied.length === 0)).toBe(true);
    expect(await migrate(database)).toEqual([]);
  });

  it("create the tables used by the queries", async () => {
    const database = await migrated();
    const { rows } = await database.pool.query(
      `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public'`,
    );
    const made = new Map(
      rows.map((row) => [`${row.table_name}.${row.column_name}`, [row.data_type, row.is_nullable === "NO"]]),
    );
    const standard = (type: string) =>
      type
        .replace(/^bigserial$/, "bigint")
        .replace(/\[\]$/, "")
        .replace(/^timestamp \(3\) with/, "timestamp with");
    for (const table of Object.values(schema).filter((value) => is(value, PgTable))) {
      const { name, columns } = getTableConfig(table);
      for (const column of columns) {
        const type = column.getSQLType().endsWith("[]") ? "ARRAY" : standard(column.getSQLType());
        expect([`${name}.${column.name}`, made.get(`${name}.${column.name}`)]).toEqual([
          `${name}.${column.name}`,
          [type, column.notNull],
        ]);
      }
    }
  });
});

/** Creates a new database with the schema of this release, and closes it at the end of the test. */
async function migrated(): Promise<Database> {
  const { database: other } = await newDatabase();
  onTestFinished(() => other.close());
  await migrate(other);
  return other;
}

const withMore = (...more: Migration[]) => ({ migrations: [...migrations, ...more], lockTries: 1 });

describe("a database and a release that do not match", () => {
  it("a database of a newer release is refused with a message that names its migration", async () => {
    const newer = await migrated();
    await newer.pool.query("INSERT INTO migrations (name) VALUES ('9999-of-tomorrow')");
    const refused = migrate(newer);
    await expect(refused).rejects.toBeInstanceOf(UsageError);
    await expect(refused).rejects.toThrow(/^The database belongs to a newer release: .*9999-of-tomorrow/);
  });

  it.runIf(isPostgres)("a release migrates only if no process of an earlier release runs", async () => {
    const other = await migrated();
    const release = await holdServerLock(other);
    const next = withMore({ name: "9001-a", sql: "CREATE TABLE a (x int)" });
    // Processes of the same release can start concurrently.
    expect(await migrate(other)).toEqual([]);
    await expect(migrate(other, next)).rejects.toThrow(
      /^Processes of an earlier release are running on this database.* Stop all of them/,
    );
    release();
    await expect.poll(() => migrate(other, next).catch(String)).toEqual(["9001-a"]);
    await expect(migrate(other)).rejects.toThrow(/^The database belongs to a newer release/);
  });

  it.runIf(isPostgres)("a process of an earlier release does not start during a migration", async () => {
    const other = await migrated();
    const held = `CREATE TABLE held AS SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND pid = pg_backend_pid() AND objid = 7340002`;
    await migrate(other, withMore({ name: "9001-a", sql: held }));
    expect((await other.pool.query("SELECT mode FROM held")).rows).toEqual([{ mode: "ExclusiveLock" }]);
    // A process that has checked the previous schema acquires the lock too late.
    await expect(holdServerLock(other, { check: requireOwnSchema })).rejects.toThrow(
      /^The database belongs to a newer release: it has the migration 9001-a/,
    );
  });

  it.runIf(isPostgres)(
    "a process that lost its connections while another release migrated exits with the reason",
    async () => {
      const processes = await Processes.onNewDatabase();
      const running = await processes.start();
      const next = await openDatabase({ url: processes.env.DATABASE_URL ?? "", poolSize: 1 });
      onTestFinished(() => next.close());
      // Simulates an interrupted network: the process still runs, but its lock is released.
      await next.pool.query(`INSERT INTO migrations (name) VALUES ('9999-of-tomorrow');
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      expect(await running.exited).toBe(1);
      expect(running.output()).toContain(
        "The database belongs to a newer release: it has the migration 9999-of-tomorrow",
      );
    },
  );

  it("a migration whose text was changed after it was applied is refused", async () => {
    const other = await migrated();
    const first: Migration = { name: "9001-a", sql: "CREATE TABLE a (x int)" };
    await migrate(other, withMore(first));
    const changed = migrate(other, withMore({ ...first, sql: "CREATE TABLE a (x bigint)" }));
    await expect(changed).rejects.toThrow(/^The database has another migration 9001-a than this release/);
    expect(await migrate(other, withMore(first))).toEqual([]);
  });

  it("a database without checksums gets checksums with its next migration", async () => {
    const old = await migrated();
    await old.pool.query("ALTER TABLE migrations DROP COLUMN checksum");
    expect(await migrate(old)).toEqual([]);
    expect(await migrate(old, withMore({ name: "9001-a", sql: "CREATE TABLE a (x int)" }))).toEqual([
      "9001-a",
    ]);
    const { rows } = await old.pool.query(
      "SELECT count(*)::int AS count FROM migrations WHERE checksum IS NULL",
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  it.runIf(isPostgres)("a user who cannot create tables is refused with a message", async () => {
    const { databaseUrl, database: other } = await newDatabase();
    onTestFinished(() => other.close());
    const role = `reader_${randomBytes(4).toString("hex")}`;
    await other.pool.query(`CREATE ROLE ${role} LOGIN`);
    const url = new URL(databaseUrl ?? "");
    url.username = role;
    const poor = await openDatabase({ url: url.href, poolSize: 2 });
    onTestFinished(() => poor.close());
    const refused = migrate(poor);
    await expect(refused).rejects.toBeInstanceOf(UsageError);
    await expect(refused).rejects.toThrow(/^The database user may not apply .* Grant it CREATE/);
    // A user without this right can start with an existing schema.
    await migrate(other);
    await other.pool.query(`GRANT SELECT ON migrations TO ${role}`);
    expect(await migrate(poor)).toEqual([]);
  });
});

describe("a migration", () => {
  it("has no effect if it fails, and previous migrations remain applied", async () => {
    const other = await migrated();
    const good: Migration = { name: "9001-a", sql: "CREATE TABLE a (x int)" };
    const bad: Migration = { name: "9002-b", sql: "CREATE TABLE b (x int); SELECT 1 / 0" };
    await expect(migrate(other, withMore(good, bad))).rejects.toThrow("division by zero");
    const { rows } = await other.pool.query("SELECT to_regclass('a') AS a, to_regclass('b') AS b");
    expect(rows).toEqual([{ a: "a", b: null }]);
    const mended: Migration = { ...bad, sql: "CREATE TABLE b (x int)" };
    expect(await migrate(other, withMore(good, mended))).toEqual(["9002-b"]);
  });

  it("creates an index outside a transaction while others write", async () => {
    const other = await migrated();
    const index: Migration = {
      name: "9001-index",
      outsideTransaction: [
        "DROP INDEX CONCURRENTLY IF EXISTS devices_type",
        "CREATE INDEX CONCURRENTLY devices_type ON devices (device_type)",
      ],
    };
    // A second waiting process must not block the creation of the index.
    const both = await Promise.all([migrate(other, withMore(index)), migrate(other, withMore(index))]);
    expect(both.flat()).toEqual(["9001-index"]);
    const { rows } = await other.pool.query(
      "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('devices_type')",
    );
    expect(rows).toEqual([{ valid: true }]);
  });

  it("keeps completed indexes after an interruption outside a transaction", async () => {
    const other = await migrated();
    await other.pool.query(`
      CREATE TABLE a (x int, y int); INSERT INTO a VALUES (1, 1), (2, 1);
      CREATE INDEX former ON a (x); CREATE INDEX a_x ON a (y)`);
    const indexes: Migration = {
      name: "9001-indexes",
      outsideTransaction: [
        // Another migration had created an index with this name.
        "DROP INDEX CONCURRENTLY IF EXISTS a_x",
        "CREATE INDEX CONCURRENTLY a_x ON a (x)",
        "DROP INDEX CONCURRENTLY IF EXISTS former",
        "DROP INDEX CONCURRENTLY IF EXISTS a_y",
        "CREATE UNIQUE INDEX CONCURRENTLY a_y ON a (y)",
      ],
    };
    const found = async () => {
      const { rows } = await other.pool.query(
        `SELECT indexrelid::text AS id, indisvalid AS valid, pg_get_indexdef(indexrelid) AS text
         FROM pg_index WHERE indrelid = 'a'::regclass ORDER BY text`,
      );
      return rows.map(({ id, valid, text }) => ({ id, valid, on: /ON .*$/.exec(text)?.[0] }));
    };
    await expect(migrate(other, withMore(indexes))).rejects.toThrow("could not create unique index");
    const [finished, broken] = await found();
    expect(finished).toMatchObject({ valid: true, on: expect.stringContaining("(x)") });
    expect(broken).toMatchObject({ valid: false });
    await other.pool.query("DELETE FROM a WHERE x = 2");
    expect(await migrate(other, withMore(indexes))).toEqual(["9001-indexes"]);
    expect(await found()).toEqual([finished, { ...broken, id: expect.any(String), valid: true }]);
  });

  it("fills every row in batches of limited size, and continues after an interruption", async () => {
    const other = await migrated();
    await other.pool.query("CREATE TABLE a (x int PRIMARY KEY, y int, by xid)");
    await other.pool.query("INSERT INTO a (x) SELECT generate_series(1, 25)");
    const fill: Migration = {
      name: "9001-fill",
      batch:
        "UPDATE a SET y = 100 / (18 - x), by = pg_current_xact_id()::xid WHERE x IN (SELECT x FROM a WHERE y IS NULL ORDER BY x LIMIT 10)",
    };
    await expect(migrate(other, withMore(fill))).rejects.toThrow("division by zero");
    const filled = async () =>
      (await other.pool.query("SELECT count(y)::int AS rows FROM a GROUP BY by ORDER BY min(x)")).rows;
    expect(await filled()).toEqual([{ rows: 10 }, { rows: 0 }]);
    await other.pool.query("DELETE FROM a WHERE x = 18");
    expect(await migrate(other, withMore(fill))).toEqual(["9001-fill"]);
    expect(await filled()).toEqual([{ rows: 10 }, { rows: 10 }, { rows: 4 }]);
  });

  it.runIf(isPostgres)("fails with a message if other sessions keep a table locked", async () => {
    const other = await migrated();
    const holder = await other.pool.connect();
    await holder.query("BEGIN; LOCK TABLE devices IN ROW EXCLUSIVE MODE");
    const alter: Migration = { name: "9001-alter", sql: "ALTER TABLE devices ADD COLUMN more text" };
    try {
      const refused = migrate(other, { ...withMore(alter), lockTimeoutMs: 50 });
      await expect(refused).rejects.toBeInstanceOf(UsageError);
      await expect(refused).rejects.toThrow(/^Other transactions keep a table locked.*9001-alter/);
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
    expect(await migrate(other, { ...withMore(alter), lockTimeoutMs: 50 })).toEqual(["9001-alter"]);
  });
});
