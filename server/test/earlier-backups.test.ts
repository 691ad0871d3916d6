/** Tests that every later release restores a backup of any release and migrates its rows like the rows of a database. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { restore } from "../src/store/backup/restore.js";
import type { Database } from "../src/store/connection/database.js";
import { migrations } from "../src/store/migrations/index.js";
import { migrate } from "../src/store/migrations/migrate.js";
import type { Migration } from "../src/store/migrations/migration.js";
import { stopAfterTest } from "./cleanup.js";
import { newDatabase, newStore } from "./databases.js";
import { LATER } from "./later-migrations.js";
import { RECORDED, readRelease, releaseFile } from "./releases.js";
import { TestService } from "./service.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";
const CHANGELOG = readFileSync(join(import.meta.dirname, "../../CHANGELOG.md"), "utf8");

async function emptyDatabase(): Promise<Database> {
  const { database } = await newDatabase();
  stopAfterTest(() => database.close());
  return database;
}

const FIRST = RECORDED[0] ?? "";

describe("a backup of the first release", () => {
  it("is migrated when it is restored: defaults, computed values, rows of new tables, batches", async () => {
    const file = releaseFile(FIRST);
    const known = [...migrations, ...LATER];
    const restored = await emptyDatabase();
    await migrate(restored, { migrations: known });
    await restore(restored.queries, file, known);
    // The result equals a database of that release that was migrated in place.
    const migrated = await emptyDatabase();
    await migrate(migrated);
    await restore(migrated.queries, file);
    await migrate(migrated, { migrations: known });
    const { rows: tables } = await migrated.pool.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN ('migrations') ORDER BY 1",
    );
    for (const { name } of tables) {
      // Each database has a different key for the page's application, and a different migration time.
      const row = "to_jsonb(t) - '{created_at,secret_hash}'::text[]";
      const read = `SELECT ${row} AS row FROM ${name} AS t ORDER BY (${row})::text`;
      expect([name, (await restored.pool.query(read)).rows]).toEqual([
        name,
        (await migrated.pool.query(read)).rows,
      ]);
    }
    const { rows } = await restored.pool.query(
      "SELECT count(*)::int AS people, count(*) FILTER (WHERE level = 3 AND shown_name = upper(username))::int AS filled FROM accounts",
    );
    const [{ people, filled }] = rows;
    expect([people > 1, filled]).toEqual([true, people]);
    const added = await restored.pool.query(
      "INSERT INTO badges (account_id) SELECT min(id) FROM accounts RETURNING id",
    );
    expect(added.rows).toEqual([{ id: people + 1 }]);
  });

  it.runIf(isPostgres)("is not restored if a later migration refuses its rows", async () => {
    const file = releaseFile(FIRST);
    const refusing: Migration = { name: "9001-refuses", sql: "ALTER TABLE accounts ADD CHECK (id > 1)" };
    const known = [...migrations, refusing];
    const database = await emptyDatabase();
    await migrate(database, { migrations: known });
    await database.pool.query(
      "INSERT INTO devices (device_name, serial_number, device_type, created_at) VALUES ('d', 's', 'T1', now())",
    );
    await expect(restore(database.queries, file, known)).rejects.toThrow(
      "The migration 9001-refuses refuses the rows of the backup. Nothing was restored.",
    );
    expect((await database.pool.query("SELECT serial_number FROM devices")).rows).toEqual([
      { serial_number: "s" },
    ]);
    expect(
      (await database.pool.query("SELECT FROM pg_namespace WHERE nspname = 'earlier_release'")).rows,
    ).toEqual([]);
  });
});

describe("the backup of each release", () => {
  it("exists; `npm run record-release -w server` creates it", () => {
    const released = [...CHANGELOG.matchAll(/^## (\d+\.\d+\.\d+), (?!unreleased)/gm)].map(
      ([, version]) => `${version}.backup`,
    );
    expect(RECORDED).toEqual(expect.arrayContaining(released));
    expect(RECORDED).not.toEqual([]);
  });

  it.each(RECORDED)("can be restored for release %s, and its accounts work", async (name) => {
    const { username, password, lines } = readRelease(name);
    const store = await newStore();
    await restore(store.database.queries, releaseFile(name));
    const s = await TestService.start(store);
    const token = await s.logIn(username, password);
    const { body: devices } = await s.get("/api/v1/devices/", token);
    const latest = await s.get(`/api/v1/devices/${devices.results[0].id}/latest-preprocessed-data/`, token);
    expect(latest.status).toBe(200);
    // Adapt this expectation if a later release drops or splits a table.
    const accounts = lines.slice(lines.indexOf('{"table":"accounts"}') + 1);
    const count = accounts.findIndex((line) => line.startsWith('{"table":'));
    const { rows } = await store.database.pool.query("SELECT count(*)::int AS count FROM accounts");
    expect(rows).toEqual([{ count }]);
  });
});
