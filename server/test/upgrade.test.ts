/** Tests that a database filled by one release can be migrated to the schema of a later one. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restore } from "../src/store/backup/restore.js";
import type { Database } from "../src/store/connection/database.js";
import { migrations } from "../src/store/migrations/index.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { newDatabase } from "./databases.js";
import { LATER } from "./later-migrations.js";
import { RECORDED, readRelease, releaseFile } from "./releases.js";
import { TestService } from "./service.js";

const FIRST = RECORDED[0] ?? "";
const LATER_RELEASE = { migrations: [...migrations, ...LATER] };
const TABLES = ["accounts", "devices", "ownerships", "audit_log", "sample_chunks"];

let database: Database;
let before: [string, number][];
let after: [string, number][];
let unfilled: unknown[];
let s: TestService;

const rowCounts = (): Promise<[string, number][]> =>
  Promise.all(
    TABLES.map(async (table): Promise<[string, number]> => {
      const { rows } = await database.pool.query(`SELECT count(*)::int AS count FROM ${table}`);
      return [table, rows[0].count];
    }),
  );

beforeAll(async () => {
  ({ database } = await newDatabase());
  await migrate(database);
  await restore(database.queries, releaseFile(FIRST));
  before = await rowCounts();
  expect(await migrate(database, LATER_RELEASE)).toEqual(LATER.map(({ name }) => name));
  // A test below adds rows.
  after = await rowCounts();
  ({ rows: unfilled } = await database.pool.query(
    "SELECT id FROM accounts WHERE level <> 3 OR shown_name <> upper(username)",
  ));
});

afterAll(async () => {
  await s?.stop();
  await database.close();
});

/** Returns the columns, indexes and constraints that the database reports. */
async function shapeOf({ pool }: Database) {
  const columns = await pool.query(
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, column_name`,
  );
  const indexes = await pool.query(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexdef`,
  );
  const constraints = await pool.query(
    `SELECT conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  );
  return [columns.rows, indexes.rows, constraints.rows];
}

describe("the database of a release, migrated by a later one", () => {
  it("has the same schema as a new database", async () => {
    const { database: fresh } = await newDatabase();
    try {
      await migrate(fresh, LATER_RELEASE);
      expect(await shapeOf(database)).toEqual(await shapeOf(fresh));
    } finally {
      await fresh.close();
    }
  });

  it("keeps its rows, and gets values in new columns", async () => {
    expect(before.filter(([, count]) => count === 0)).toEqual([]);
    expect(after).toEqual(before);
    expect(unfilled).toEqual([]);
  });

  it("serves accounts that were registered before, which can log in and read their samples; new rows get new ids", async () => {
    // This release does not know the later migrations, but its queries work on the migrated tables, except for new accounts.
    await database.pool.query("DELETE FROM migrations WHERE name >= '9'");
    s = await TestService.startLasting({
      database,
      serverKey: randomBytes(32),
      close: () => database.close(),
    });
    const { username, password } = readRelease(FIRST);
    const token = await s.logIn(username, password);
    const { body: devices } = await s.get("/api/v1/devices/", token);
    const latest = await s.get(`/api/v1/devices/${devices.results[0].id}/latest-preprocessed-data/`, token);
    expect(latest.status).toBe(200);
    const { rows } = await database.pool.query("SELECT id FROM accounts WHERE username = $1", [username]);
    const activity = {
      name: "Another",
      json: { sport: "biking" },
      json_schema: 1,
      owner: Number(rows[0].id),
    };
    const created = await s.post("/api/v1/activities/", activity, token);
    expect([created.status, created.body.id > 0]).toEqual([201, true]);
  });
});
