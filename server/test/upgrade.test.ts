/** A database that the first release has made and filled is brought to the schema of this one. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../src/store/connection/database.js";
import { migrations } from "../src/store/migrations/index.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { newDatabase, type TestAccount, TestService } from "./service.js";

const FIRST_RELEASE = readFileSync(join(import.meta.dirname, "fixtures/first-release.sql"), "utf8");
/** So many migrations the first release had. */
const FIRST_MIGRATIONS = 6;

/** In the fixture: a manager with a device and 600 samples, and one with a time frame, a webhook and an athlete. */
const ADA = {
  id: 7,
  username: "manager-8846ac1d-4a12-4706-b4c7-73284481a0c0",
  password: "pass d423c62c-a6c8-41a7-b1ea-643e31aa27a6",
};
const OWNER = {
  id: 1,
  username: "manager-dca7261d-fe3a-498b-9077-f94167e6ba64",
  password: "pass a6f5c619-35ec-4881-82d3-f84d5888025e",
};
/** Rows in the fixture; what no release may remove by migrating. */
const ROWS = {
  accounts: 7,
  devices: 2,
  activities: 2,
  timeframes: 1,
  permissions: 5,
  webhooks: 1,
  audit_log: 38,
};

let database: Database;
let s: TestService;

beforeAll(async () => {
  ({ database } = await newDatabase());
  await database.pool.query(FIRST_RELEASE);
  expect(await migrate(database)).toEqual(migrations.slice(FIRST_MIGRATIONS).map(({ name }) => name));
  s = await TestService.startLasting({
    database,
    serverKey: randomBytes(32),
    close: () => database.close(),
  });
});

afterAll(async () => {
  await s?.stop();
  await database.close();
});

const logIn = async (account: Omit<TestAccount, "token">): Promise<TestAccount> => ({
  ...account,
  token: await s.logIn(account.username, account.password),
});

/** Columns, indexes and constraints, as the database tells them. */
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

describe("the database of the first release", () => {
  it("gets the same schema as a new one", async () => {
    const { database: fresh } = await newDatabase();
    try {
      await migrate(fresh);
      expect(await shapeOf(database)).toEqual(await shapeOf(fresh));
    } finally {
      await fresh.close();
    }
  });

  it("keeps its rows", async () => {
    for (const [table, count] of Object.entries(ROWS)) {
      const { rows } = await database.pool.query(`SELECT count(*)::int AS count FROM ${table}`);
      expect([table, rows[0].count >= count]).toEqual([table, true]);
    }
  });

  it("serves those who registered then: they log in and read their samples and computed data", async () => {
    const ada = await logIn(ADA);
    const { body: devices } = await s.get("/api/v1/devices/", ada.token);
    expect(devices.count).toBe(1);
    const range = "start=2024-06-01T10:00:00Z&stop=2024-06-01T11:00:00Z&limit=1000";
    const raw = await s.get(`/api/v1/devices/${devices.results[0].id}/raw-data/?${range}`, ada.token);
    expect([raw.status, raw.body.count, raw.body.results.length]).toEqual([200, 600, 600]);
    const owner = await logIn(OWNER);
    expect((await s.get("/api/v1/timeframes/1/computed-data/", owner.token)).status).toBe(200);
    const deliveries = await s.get("/api/v1/activities/1/webhooks/1/deliveries/", owner.token);
    expect([deliveries.status, deliveries.body.count]).toEqual([200, 1]);
  });

  it("takes new rows with new ids, and does the work that waits", async () => {
    const ada = await logIn(ADA);
    const activity = { name: "Another", json: { sport: "biking" }, json_schema: 1, owner: ada.id };
    const { status, body } = await s.post("/api/v1/activities/", activity, ada.token);
    expect([status, body.id > ROWS.activities]).toEqual([201, true]);
    await s.runJobs();
    const { rows } = await database.pool.query(
      "SELECT kind FROM jobs WHERE state IN ('PENDING', 'STARTED') AND due_at <= now()",
    );
    expect(rows).toEqual([]);
  });
});
