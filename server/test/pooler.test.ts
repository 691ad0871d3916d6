/** Tests PostgreSQL behind PgBouncer with a session per transaction: statements of one client run in different sessions. */
import type { FastifyInstance } from "fastify";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { watchReadiness } from "../src/http/monitoring/readiness.js";
import { startService as startProcess } from "../src/process/service.js";
import { type Database, openDatabase } from "../src/store/connection/database.js";
import { withoutServers } from "../src/store/connection/server-lock.js";
import { openStore, type Store } from "../src/store/open.js";
import { newDatabase } from "./databases.js";
import { type Pooler, pgbouncerVersion, startPgbouncer } from "./pgbouncer.js";
import { newScene } from "./scene.js";
import { MovableClock, TestService } from "./service.js";
import { testConfig } from "./test-config.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";
if (isPostgres && pgbouncerVersion === undefined)
  console.warn("PgBouncer is not installed: nothing is tested behind it.");

/** Number of sessions of the pooler, which is lower than the number of connections of the service. */
const SESSIONS = 3;

describe.runIf(isPostgres && pgbouncerVersion !== undefined)(`behind PgBouncer ${pgbouncerVersion}`, () => {
  let pooler: Pooler;
  let direct: pg.Client;
  let store: Store;
  let s: TestService;
  let databaseUrl: string;

  beforeAll(async () => {
    const made = await newDatabase();
    databaseUrl = made.databaseUrl ?? "";
    await made.database.close();
    pooler = await startPgbouncer(databaseUrl, SESSIONS);
    direct = new pg.Client(databaseUrl);
    await direct.connect();
    const config = testConfig({
      databaseUrl: pooler.url,
      databaseDirectUrl: databaseUrl,
      databasePreparedStatements: false,
      webhookAllowPrivate: true,
      jobPollMs: 100,
    });
    store = await openStore(config);
    const clock = new MovableClock();
    s = new TestService(store, await startProcess(config, store, "all", clock), clock, config);
  });

  afterAll(async () => {
    await s?.stop();
    await store?.close();
    await direct?.end();
    await pooler?.stop();
  });

  it("the service works as without a pooler: registrations, loads, computations, webhooks", async () => {
    const { owner, ids } = await newScene(s);
    for (const path of [
      `/api/v1/devices/${ids.device}/latest-preprocessed-data/`,
      `/api/v1/timeframes/${ids.timeframe}/computed-data/`,
      "/api/v1/timeframes/?search=a&ordering=start_time",
    ])
      expect((await s.get(path, owner.token)).status).toBe(200);
  });

  it("many concurrent requests get their own responses, although each statement can run in another session", async () => {
    const ann = await s.manager();
    const statuses = await Promise.all(
      Array.from({ length: 120 }, async (_, n) => {
        const path = ["/api/v1/account/", "/api/v1/devices/", "/api/v1/timeframes/"][n % 3] ?? "";
        return (await s.get(path, ann.token)).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("times are read in UTC and ISO style, regardless of the settings of the server", async () => {
    const other = await startPgbouncer(databaseUrl, 1);
    const name = new URL(databaseUrl).pathname.slice(1);
    await direct.query(`ALTER DATABASE ${name} SET TimeZone = 'Asia/Tokyo'`);
    const databases: Database[] = [];
    try {
      for (let count = 0; count < 2; count++)
        databases.push(
          await openDatabase({ url: other.url, directUrl: databaseUrl, poolSize: 2, prepares: false }),
        );
      for (const { pool } of [...databases, ...databases]) {
        const { rows } = await pool.query(
          "SELECT '2024-06-01T10:00:00Z'::timestamptz::text AS at, $1::int AS n",
          [1],
        );
        expect(rows).toEqual([{ at: "2024-06-01 10:00:00+00", n: 1 }]);
      }
    } finally {
      for (const database of databases) await database.close();
      await direct.query(`ALTER DATABASE ${name} RESET TimeZone`);
      await other.stop();
    }
  });

  it("shared sessions keep no setting of the service", async () => {
    for (let times = 0; times < 5 * SESSIONS; times++) {
      const { rows } = await store.database.pool.query(
        "SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock",
      );
      expect(rows).toEqual([{ statement: "0", lock: "0" }]);
    }
  });

  it("a start is refused with a message if the pooler or the server is unreachable, or if they use two databases", async () => {
    const nowhere = databaseUrl.replace(/:\d+\//, ":1/");
    const started = (databaseUrl: string | null, databaseDirectUrl: string) =>
      openStore(testConfig({ databaseUrl, databaseDirectUrl, databasePreparedStatements: false }));
    await expect(started(nowhere, databaseUrl)).rejects.toThrow(
      /^The database of DATABASE_URL cannot be reached: .*ECONNREFUSED/,
    );
    await expect(started(pooler.url, nowhere)).rejects.toThrow(
      /^The database of DATABASE_DIRECT_URL cannot be reached: .*ECONNREFUSED/,
    );
    const another = new URL(databaseUrl);
    another.pathname = "postgres";
    await expect(started(pooler.url, another.href)).rejects.toThrow("are different databases");
    await expect(started(null, databaseUrl)).rejects.toThrow("DATABASE_DIRECT_URL needs DATABASE_URL");
  });

  it("a start is refused if required settings are missing, and the message names them", async () => {
    // A process without these settings changes the shared sessions.
    const other = await startPgbouncer(databaseUrl, SESSIONS);
    onTestFinished(() => other.stop());
    const started = (databaseDirectUrl: string | null, databasePreparedStatements: boolean) =>
      openStore(testConfig({ databaseUrl: other.url, databaseDirectUrl, databasePreparedStatements }));
    await expect(started(null, true)).rejects.toThrow(
      /^DATABASE_URL connects through a pooler .* Set DATABASE_DIRECT_URL .* DATABASE_PREPARED_STATEMENTS=false/,
    );
    await expect(started(databaseUrl, true)).rejects.toThrow(
      /^The pooler .* DATABASE_PREPARED_STATEMENTS=false/,
    );
    await expect(started(other.url, false)).rejects.toThrow(
      /^DATABASE_DIRECT_URL connects through a pooler .* It must refer to the server itself/,
    );
  });

  it("a process is not ready while the pooler unexpectedly shares sessions, for example after a change to its settings", async () => {
    const other = await startPgbouncer(databaseUrl, SESSIONS);
    const database = await openDatabase({ url: other.url, poolSize: 6, prepares: false });
    const unaware = await TestService.start({
      database,
      serverKey: store.serverKey,
      close: () => database.close(),
    });
    const readiness = async () =>
      (await Promise.all(Array.from({ length: 6 }, () => unaware.get("/health/ready/")))).map(
        ({ body }) => body.status,
      );
    await expect.poll(readiness).toContain("database sessions shared by a pooler");
    await unaware.stop();
    await database.close();
    await other.stop();
  });

  it("a process is not ready while the pooler unexpectedly loses prepared statements", async () => {
    const other = await startPgbouncer(databaseUrl, SESSIONS);
    const database = await openDatabase({ url: other.url, directUrl: databaseUrl, poolSize: 6 });
    const app = { addHook: () => undefined, dependencies: { database } } as unknown as FastifyInstance;
    const readiness = watchReadiness(app);
    const all = () => Promise.all(Array.from({ length: 6 }, readiness));
    await expect.poll(all).toContain("database sessions shared by a pooler");
    await database.close();
    await other.stop();
  });

  it("a long-lived lock uses a separate session, so a restore is refused", async () => {
    const { rows } = await direct.query(
      "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    );
    expect(rows.length).toBe(1);
    const lent = await pooler.sessions();
    expect(lent.length).toBeGreaterThan(0);
    for (const { pid } of rows) expect(lent).not.toContain(pid);
    expect(await withoutServers(store.database, async () => undefined)).toBe(false);
  });
});
