/** A backup of any release is restored by every later one, which migrates its rows as it migrates those of a database. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { backup, verifyBackup } from "../src/store/backup/backup.js";
import { restore } from "../src/store/backup/restore.js";
import type { Database } from "../src/store/connection/database.js";
import { migrations } from "../src/store/migrations/index.js";
import { migrate } from "../src/store/migrations/migrate.js";
import type { Migration } from "../src/store/migrations/migration.js";
import { stopAfterTest } from "./cleanup.js";
import { newScratchFolder } from "./scratch.js";
import { newDatabase, newStore, TestService } from "./service.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

const FIRST_RELEASE = readFileSync(join(import.meta.dirname, "fixtures/first-release.sql"), "utf8");
const RELEASES = join(import.meta.dirname, "releases");
const CHANGELOG = readFileSync(join(import.meta.dirname, "../../CHANGELOG.md"), "utf8");

/** A manager of the first release with 600 samples. */
const ADA = {
  username: "manager-8846ac1d-4a12-4706-b4c7-73284481a0c0",
  password: "pass d423c62c-a6c8-41a7-b1ea-643e31aa27a6",
};

async function emptyDatabase(): Promise<Database> {
  const { database } = await newDatabase();
  stopAfterTest(() => database.close());
  return database;
}

let first: Promise<string> | undefined;

/** A backup as the first release's database gives it. */
const firstBackup = (): Promise<string> => {
  first ??= (async () => {
    const database = await emptyDatabase();
    await database.pool.query(FIRST_RELEASE);
    const folder = newScratchFolder();
    const file = join(folder, "first.backup");
    await backup(database, file, folder);
    return file;
  })();
  return first;
};

/** What a later release may bring: a column without a default for old rows, values that depend on rows, a filled table, batches. */
const LATER: readonly Migration[] = [
  {
    name: "9001-level",
    sql: `ALTER TABLE accounts ADD COLUMN level integer NOT NULL DEFAULT 3;
      ALTER TABLE accounts ADD COLUMN shown_name text;
      UPDATE accounts SET shown_name = upper(username);
      ALTER TABLE accounts ALTER COLUMN shown_name SET NOT NULL;
      CREATE TABLE badges (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE);
      INSERT INTO badges (account_id) SELECT id FROM accounts ORDER BY id`,
  },
  {
    name: "9002-mark",
    batch:
      "UPDATE devices SET device_type = device_type || ' (old)' WHERE id IN (SELECT id FROM devices WHERE device_type NOT LIKE '% (old)' LIMIT 1)",
  },
  {
    name: "9003-index",
    outsideTransaction: [
      "DROP INDEX CONCURRENTLY IF EXISTS accounts_level",
      "CREATE INDEX CONCURRENTLY accounts_level ON accounts (level)",
    ],
  },
];

describe("a backup of the first release", () => {
  it("is restored by this one: its people log in, and their samples are there", async () => {
    const store = await newStore();
    const file = await firstBackup();
    const s = await TestService.start(store);
    const gone = await s.manager();
    expect(await restore(store.database.queries, file)).toBe((await verifyBackup(file)).rows);
    const { rows } = await store.database.pool.query("SELECT username FROM accounts WHERE id = $1", [
      gone.id,
    ]);
    expect(rows).not.toEqual([{ username: gone.username }]);
    const later = await TestService.start(store);
    const token = await later.logIn(ADA.username, ADA.password);
    const { body } = await later.get("/api/v1/devices/", token);
    const range = "start=2024-06-01T10:00:00Z&stop=2024-06-01T11:00:00Z";
    const raw = await later.get(`/api/v1/devices/${body.results[0].id}/raw-data/?${range}`, token);
    expect([raw.status, raw.body.count]).toEqual([200, 600]);
  });

  it("gets what later migrations do to rows: defaults, computed values, rows of new tables, batches", async () => {
    const file = await firstBackup();
    const known = [...migrations, ...LATER];
    const restored = await emptyDatabase();
    await migrate(restored, { migrations: known });
    await restore(restored.queries, file, known);
    // The same as a database of that release that was migrated in place.
    const migrated = await emptyDatabase();
    await migrated.pool.query(FIRST_RELEASE);
    await migrate(migrated, { migrations: known });
    const { rows: tables } = await migrated.pool.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN ('migrations') ORDER BY 1",
    );
    for (const { name } of tables) {
      // Each database has a key of its own for the page's application, and its own time of migrating.
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
    expect(rows).toEqual([{ people: 7, filled: 7 }]);
    const added = await restored.pool.query("INSERT INTO badges (account_id) VALUES (1) RETURNING id");
    expect(added.rows).toEqual([{ id: 8 }]);
  });

  it.runIf(isPostgres)("restores nothing when a later migration refuses its rows", async () => {
    const file = await firstBackup();
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
  const recorded = readdirSync(RELEASES).filter((name) => name.endsWith(".backup"));

  it("is recorded with the release: `npm run record-release -w server`", () => {
    const released = [...CHANGELOG.matchAll(/^## (\d+\.\d+\.\d+), (?!unreleased)/gm)].map(
      ([, version]) => `${version}.backup`,
    );
    expect(recorded).toEqual(expect.arrayContaining(released));
    expect(recorded).not.toEqual([]);
  });

  it.each(recorded)("%s is restored by this release, and its people use it", async (name) => {
    const file = join(RELEASES, name);
    const lines = gunzipSync(readFileSync(file)).toString().split("\n");
    const username = /"username":"(coach-\d+)"/.exec(lines.join("\n"))?.[1] ?? "";
    const store = await newStore();
    await restore(store.database.queries, file);
    const s = await TestService.start(store);
    const token = await s.logIn(username, "correct horse battery");
    const { body: devices } = await s.get("/api/v1/devices/", token);
    const latest = await s.get(`/api/v1/devices/${devices.results[0].id}/latest-preprocessed-data/`, token);
    expect(latest.status).toBe(200);
    // A table that a later release drops or splits needs a look at this expectation.
    const accounts = lines.slice(lines.indexOf('{"table":"accounts"}') + 1);
    const count = accounts.findIndex((line) => line.startsWith('{"table":'));
    const { rows } = await store.database.pool.query("SELECT count(*)::int AS count FROM accounts");
    expect(rows).toEqual([{ count }]);
  });
});
