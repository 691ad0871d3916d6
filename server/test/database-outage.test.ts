/** Tests that an outage of the database has no lasting effect on the service. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { applyRetention } from "../src/jobs/retention.js";
import { openDatabase } from "../src/store/connection/database.js";
import { holdServerLock } from "../src/store/connection/server-lock.js";
import { onServer } from "../src/store/sample-servers/move.js";
import { auditLog } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { newStore } from "./databases.js";
import { expectToOutlive } from "./outage.js";
import { type PostgresServer, startPostgres } from "./postgres.js";
import { Processes } from "./processes.js";
import { type Answer, TestService } from "./service.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

const UNAVAILABLE = {
  status: 503,
  body: { detail: "The service is temporarily unavailable. Try again later." },
};

/** Checks that a response tells the client to retry. */
function expectUnavailable(answer: Answer): void {
  expect(answer).toMatchObject(UNAVAILABLE);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answer.headers.get("x-error-code")).toBe("unavailable");
}

/** Opens a separate connection to the same server. */
async function administrator(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on("error", () => undefined);
  await client.connect();
  stopAfterTest(() => client.end());
  return client;
}

const terminateOthers = async (client: pg.Client): Promise<number> => {
  const { rowCount } = await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  return rowCount ?? 0;
};

/** Returns a row for each lock that a running server holds. */
const SERVER_LOCKS = `
  SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const activityOf = (owner: number, name: string) => ({
  name,
  json: { sport: "biking" },
  // The first installed schema.
  json_schema: 1,
  owner,
});

describe.runIf(isPostgres)("connections that the server terminates", () => {
  let s: TestService;
  let url: string;

  beforeAll(async () => {
    const store = await newStore();
    url = store.databaseUrl ?? "";
    s = await TestService.start(store);
    return () => store.close();
  });

  it("do not end the process: the next request is served, and restores still detect the running server", async () => {
    const processes = await Processes.onNewDatabase();
    const [api, worker] = await Promise.all([
      processes.start("--role", "api"),
      processes.start("--role", "worker"),
    ]);
    const ann = await processes.manager(api, "ann");
    const admin = await administrator(processes.env.DATABASE_URL ?? "");
    const heldLocks = async () => (await admin.query(SERVER_LOCKS)).rowCount;
    for (let round = 0; round < 3; round++) {
      await expect.poll(heldLocks).toBe(2);
      expect(await terminateOthers(admin)).toBeGreaterThan(0);
      await expect.poll(async () => (await api.send("GET", "/api/v1/account/", ann.token)).status).toBe(200);
    }
    await expect.poll(heldLocks).toBe(2);
    expect(await Promise.all([api.terminate(), worker.terminate()])).toEqual([0, 0]);
  });

  it("roll back the transaction in progress, and the pool can open new connections", async () => {
    const cut = () =>
      transact(s.ctx, "cut", async ({ queries, audit }) => {
        await audit("account", 1, null, {});
        await queries.execute(sql`SELECT pg_terminate_backend(pg_backend_pid())`);
      });
    for (let i = 0; i < 25; i++) await expect(cut()).rejects.toThrow();
    expect(await s.store.database.queries.$count(auditLog, sql`operation = 'cut'`)).toBe(0);
    const { status } = await s.get("/health/ready/");
    expect(status).toBe(200);
  });

  it("do not reduce the size of the pool if they end just before a transaction", async () => {
    const { pool, queries } = s.store.database;
    const cut = (client: pg.PoolClient) => {
      const { stream } = (
        client as unknown as { connection: { stream: NodeJS.WritableStream & { destroy(): void } } }
      ).connection;
      stream.destroy();
    };
    pool.on("acquire", cut);
    const broken = Array.from({ length: 25 }, () => queries.transaction((tx) => tx.execute(sql`SELECT 1`)));
    const outcomes = await Promise.allSettled(broken);
    pool.off("acquire", cut);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(25);
    await queries.transaction((tx) => tx.execute(sql`SELECT 1`));
  });

  it("cause a 503 with Retry-After if they end during a request", async () => {
    const ann = await s.manager();
    const admin = await administrator(url);
    await admin.query("BEGIN; LOCK TABLE activities IN ACCESS EXCLUSIVE MODE");
    const waiting = s.post("/api/v1/activities/", activityOf(ann.id, "A ride"), ann.token);
    const blocked =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await admin.query(blocked)).rowCount).toBeGreaterThan(0);
    await terminateOthers(admin);
    expectUnavailable(await waiting);
    await admin.query("ROLLBACK");
    const again = await s.post("/api/v1/activities/", activityOf(ann.id, "A ride"), ann.token);
    expect(again.status).toBe(201);
  });

  it("do not release the server lock or stop retention", async () => {
    const { database } = s.store;
    const admin = await administrator(url);
    const end = await holdServerLock(database);
    await terminateOthers(admin);
    await expect.poll(async () => (await admin.query(SERVER_LOCKS)).rowCount).toBeGreaterThan(1);
    end();
    await applyRetention(s.ctx);
  });
});

describe("a database that refuses changes", () => {
  let s: TestService;
  let ann: { id: number; token: string };
  let url: string | null;

  beforeAll(async () => {
    const store = await newStore();
    url = store.databaseUrl;
    s = await TestService.start(store);
    ann = await s.manager();
    return () => store.close();
  });

  const create = () => s.post("/api/v1/activities/", activityOf(ann.id, "A ride"), ann.token);
  const count = async () => (await s.get("/api/v1/activities/", ann.token)).body.count;

  it("causes 503 and stores nothing while its disk is full, and continues when there is space", async () => {
    const { pool } = s.store.database;
    await pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const before = await count();
    expectUnavailable(await create());
    expect(await count()).toBe(before);
    await pool.query("DROP TRIGGER full_disk ON audit_log; DROP FUNCTION refuse");
    expect((await create()).status).toBe(201);
  });

  it.runIf(isPostgres)("causes 503 while it is read-only, and the service is not ready", async () => {
    const admin = await administrator(url ?? "");
    const [{ name }] = (await admin.query("SELECT quote_ident(current_database()) AS name")).rows;
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await terminateOthers(admin);
    await expect.poll(async () => (await s.get("/health/ready/")).status).toBe(503);
    expectUnavailable(await create());
    // The pool must not keep the read-only sessions.
    await admin.query("SET default_transaction_read_only = off");
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await expect.poll(async () => (await s.get("/health/ready/")).status).toBe(200);
    expect((await create()).status).toBe(201);
  });
});

describe.runIf(isPostgres)("a restart of the database", () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ durable: true });
  });
  afterAll(() => server.stop());

  it("causes 503 under load; the service is not ready, and then continues with all acknowledged data", async () => {
    await expectToOutlive(server, { rounds: 1, how: "fast", awayMs: 500 });
  });

  it("does not fail a pool that was opened before the server started", async () => {
    await server.halt("fast");
    const database = await openDatabase({ url: `${server.url}postgres`, poolSize: 2 });
    stopAfterTest(() => database.close());
    await expect(database.pool.query("SELECT 1")).rejects.toThrow();
    await server.restart();
    expect((await database.pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  it("adds only a few lines per second to the log, with the number of failures, however many requests fail", async () => {
    const processes = await Processes.onNewDatabase({ DATABASE_URL: `${server.url}postgres` });
    const running = await processes.start();
    const { token } = await processes.manager(running, `eve-${Date.now()}`);
    const before = running.output().split("\n").length;
    await server.halt("immediate");
    const startedAt = performance.now();
    let refused = 0;
    while (performance.now() - startedAt < 4_000) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => running.send("GET", "/api/v1/account/", token)),
      );
      refused += answers.filter(({ status }) => status === 503).length;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    await server.restart();
    await expect.poll(async () => (await running.send("GET", "/health/ready/")).status).toBe(200);
    const lines = running
      .output()
      .split("\n")
      .slice(before - 1)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { msg: string; times?: number });
    const unavailable = lines.filter(({ msg }) => msg === "unavailable");
    expect(refused).toBeGreaterThan(40);
    expect(unavailable.length).toBeGreaterThan(0);
    expect(unavailable.length).toBeLessThanOrEqual(seconds + 3);
    // Requests and polls by the worker each log one line a second.
    expect(new Set(lines.map(({ msg }) => msg)).size).toBeLessThanOrEqual(3);
    expect(lines.length).toBeLessThanOrEqual(2 * (seconds + 3));
    // The counts in the log lines include every failure.
    const counted = () => unavailable.reduce((sum, { times = 1 }) => sum + times, 0);
    expect(counted()).toBeGreaterThanOrEqual(refused - 20);
    expect(await running.terminate()).toBe(0);
  });

  it("is distinguished from a wrong password, which the error message asks the operator to correct", async () => {
    const admin = await administrator(`${server.url}postgres`);
    await admin.query("CREATE ROLE guarded LOGIN PASSWORD 'right'");
    const rules = join(server.data, "pg_hba.conf");
    const trusting = readFileSync(rules, "utf8");
    writeFileSync(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${trusting}`);
    await admin.query("SELECT pg_reload_conf()");
    await admin.query("CREATE DATABASE closed ALLOW_CONNECTIONS false");
    await admin.query("CREATE DATABASE others");
    await admin.query("REVOKE CONNECT ON DATABASE others FROM PUBLIC");
    const refused = async (user: string, name: string, reason: string) => {
      const DATABASE_URL = `${server.url.replace("postgres@", `${user}@`)}${name}`;
      const said = await (await Processes.onNewDatabase({ DATABASE_URL })).refusal([]);
      expect(said).toMatch(
        new RegExp(
          `^The server of DATABASE_URL refuses the connection: .*${reason}.* Correct the user, the password or the database`,
        ),
      );
      expect(said).not.toContain("wrong");
      expect(said.trim().split("\n")).toHaveLength(1);
      await expect(onServer(DATABASE_URL, async () => undefined)).rejects.toThrow(
        /^The server 127\.0\.0\.1:\d+ refuses the connection: /,
      );
    };
    await refused("guarded:wrong", "postgres", "password authentication failed");
    await refused("guarded", "postgres", "password must be a string");
    await refused("guarded:right", "others", "permission denied for database");
    await refused("postgres", "closed", "not currently accepting connections");
  });

  it("causes 503 if it becomes a read-only standby, until it is promoted", async () => {
    const processes = await Processes.onNewDatabase({ DATABASE_URL: `${server.url}postgres` });
    const api = await processes.start("--role", "api");
    const cat = await processes.manager(api, `cat-${Date.now()}`);
    await server.halt("fast");
    await server.restart({ standby: true });
    const create = () => api.send("POST", "/api/v1/activities/", cat.token, activityOf(cat.id, "A ride"));
    const ready = async () => (await api.send("GET", "/health/ready/")).status;
    await expect.poll(ready).toBe(503);
    expectUnavailable(await create());
    const admin = await administrator(`${server.url}postgres`);
    await admin.query("SELECT pg_promote()");
    await expect.poll(ready).toBe(200);
    expect((await create()).status).toBe(201);
    expect(await api.terminate()).toBe(0);
  });
});

describe.runIf(isPostgres)("a database that has stopped answering", () => {
  it("does not delay the end of a process, which exits and reports the parts that did not end", async () => {
    const server = await startPostgres();
    stopAfterTest(() => server.stop());
    const processes = await Processes.onNewDatabase({
      DATABASE_URL: `${server.url}postgres`,
      SHUTDOWN_TIMEOUT_MS: "1000",
    });
    const { terminate, output } = await processes.start();
    server.freeze();
    stopAfterTest(async () => server.thaw());
    expect(await terminate()).toBe(1);
    const lines = output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.find(({ msg }) => msg === "not ended in time")).toMatchObject({
      level: 60,
      parts: ["database"],
    });
  });
});
