import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { Registry } from "prom-client";
import { beforeEach, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { applyRetention } from "../src/jobs/retention.js";
import { measureRetention, startRetention } from "../src/jobs/retention-schedule.js";
import { startService as startProcess } from "../src/process/service.js";
import { queriesOf } from "../src/store/connection/database.js";
import { accounts, auditLog, idempotencyKeys, jobs } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { newStore } from "./databases.js";
import { ENDED } from "./ended-lease.js";
import { startMailServer } from "./mail-server.js";
import { TestService } from "./service.js";
import { testConfig } from "./test-config.js";

// Use a separate database for each test, because these tests run and count jobs.
let s: TestService;

beforeEach(async () => {
  s = await TestService.start(await newStore());
});

const register = async (on: TestService, more: Record<string, unknown> = {}) => {
  const username = `user-${Math.random()}`;
  const { status } = await on.post("/api/v1/managers/", { username, email: "ann@example.org", ...more });
  expect(status).toBe(201);
  return username;
};

const jobsOf = async (kind: string) =>
  s.store.database.queries.select().from(jobs).where(eq(jobs.kind, kind)).orderBy(jobs.id);

describe("an email", () => {
  it("is written to the data folder if there is no mail server, and its password is erased", async () => {
    const username = await register(s);
    const [waiting] = await jobsOf("mail");
    const stored = JSON.stringify(waiting);
    await s.runJobs();
    const [file] = readdirSync(join(s.config.dataDir, "mail"));
    const mail = readFileSync(join(s.config.dataDir, "mail", file ?? ""), "utf8");
    expect(mail).toContain("To: ann@example.org");
    expect(mail).toContain(`Username: ${username}`);
    const password = /Password: (\S+)/.exec(mail)?.[1] ?? "";
    expect(password).toHaveLength(20);
    expect(stored).not.toContain(password);
    expect(await s.logIn(username, password)).toBeTruthy();
    const [done] = await jobsOf("mail");
    expect(done).toMatchObject({ state: "SUCCESS", payload: {} });
  });

  it("is retried later if the mail server refuses it, and the request does not fail", async () => {
    const server = await startMailServer();
    const other = await TestService.start(s.store, { smtpUrl: server.url });
    server.refuses = true;
    const username = await register(other, { password: "chosen by myself" });
    await other.runJobs();
    expect((await jobsOf("mail")).at(-1)).toMatchObject({ state: "RETRY", failures: 1 });
    await other.runJobs();
    expect(server.mails).toHaveLength(0);
    server.refuses = false;
    other.clock.advance(61_000);
    await other.runJobs();
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toContain(`Username: ${username}`);
    expect(server.mails[0]).not.toContain("chosen by myself");
  });
});

describe("jobs", () => {
  /** Use an existing account, because emails to deleted accounts are not kept. */
  const addMail = (account: number) =>
    transact(s.ctx, "test", (change) =>
      change.enqueue({
        kind: "mail",
        payload: {
          template: "credentials",
          account,
          to: "a@example.org",
          username: "u",
          sealedPassword: null,
        },
      }),
    );

  it("are each run only once, even by many workers", async () => {
    const workers = await Promise.all(
      [1, 2, 3].map(() => TestService.start(s.store, { dataDir: s.config.dataDir })),
    );
    const { id } = await s.athlete();
    for (let i = 0; i < 12; i++) await addMail(id);
    await Promise.all(workers.map((worker) => worker.runJobs()));
    expect(readdirSync(join(s.config.dataDir, "mail"))).toHaveLength(12);
    expect((await jobsOf("mail")).map(({ state }) => state)).toEqual(Array(12).fill("SUCCESS"));
  });

  it("are retried when their workers die, and fail after the third loss", async () => {
    const job = await addMail((await s.athlete()).id);
    const later = await TestService.start(s.store);
    const byId = eq(jobs.id, job?.id ?? 0);
    for (let loss = 1; loss <= 4; loss++) {
      // Set the row as it is after a worker was killed during a job.
      await s.store.database.queries
        .update(jobs)
        .set({
          state: "STARTED",
          leaseToken: "dead",
          leaseUntil: ENDED,
          losses: loss - 1,
          payload: {},
        })
        .where(byId);
      if (loss < 4) {
        const [row] = await s.store.database.queries.select().from(jobs).where(byId);
        expect(row?.state).toBe("STARTED");
      }
    }
    await later.runJobs();
    const [row] = await s.store.database.queries.select().from(jobs).where(byId);
    expect(row).toMatchObject({ state: "FAILURE", losses: 4, details: { code: "worker_lost" } });
  });

  it("are not stored if their transaction fails, and neither is an audit row", async () => {
    const before = [(await jobsOf("mail")).length, await s.store.database.queries.$count(auditLog)];
    await expect(
      transact(s.ctx, "test", async (change) => {
        await change.enqueue({ kind: "mail", payload: {} });
        await change.audit("account", 1, null, {});
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect([(await jobsOf("mail")).length, await s.store.database.queries.$count(auditLog)]).toEqual(before);
  });
});

describe("the audit log", () => {
  it("records the author, the operation, and the values before and after each change, without secrets", async () => {
    const ann = await s.manager();
    await s.send("PATCH", `/api/v1/managers/${ann.id}/`, {
      token: ann.token,
      json: { manager_profile: { first_name: "Ann" }, password: "another passphrase" },
      headers: { "X-Request-Id": "audited-request" },
    });
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(eq(auditLog.requestId, "audited-request"));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      accountId: ann.id,
      operation: "updateManager",
      entity: "account",
      entityId: ann.id,
      before: { firstName: null, passwordHash: "***" },
      after: { firstName: "Ann", passwordHash: "***" },
    });
  });
});

describe("retention", () => {
  it("starts together with the worker, not one interval later", async () => {
    const { queries } = s.store.database;
    await queries.execute(sql`
      INSERT INTO audit_log (at, request_id, operation, entity, entity_id)
      SELECT ${new Date(0)}, 'r', 'o', 'account', n FROM generate_series(1, 1500) AS n`);
    const service = await startProcess(testConfig({ retentionIntervalMs: 86_400_000 }), s.store, "all");
    stopAfterTest(() => service.stop());
    await expect.poll(() => queries.$count(auditLog)).toBe(0);
  });

  it("ends after its current statement when the process stops", async () => {
    const { queries, pool } = s.store.database;
    await queries.execute(sql`
      INSERT INTO audit_log (at, request_id, operation, entity, entity_id)
      SELECT ${new Date(0)}, 'r', 'o', 'account', n FROM generate_series(1, 5000) AS n`);
    const stop: { now?: (timeoutMs: number) => Promise<void> } = {};
    let stopped: Promise<void> | undefined;
    const listening = queriesOf(pool, {
      logQuery(text) {
        if (/DELETE FROM "audit_log"/.test(text)) stopped ??= stop.now?.(60_000);
      },
    });
    const lines: unknown[] = [];
    const log = {
      error: (line: unknown) => expect(line).toBeUndefined(),
      info: (line: unknown) => lines.push(line),
    } as never;
    const ctx = { ...s.ctx, queries: listening, config: testConfig() };
    const registry = new Registry();
    stop.now = startRetention(ctx, log, measureRetention(registry));
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
    expect(await queries.$count(auditLog)).toBe(4000);
    expect(lines).toEqual([{ removed: expect.objectContaining({ audit_log: 1000 }) }]);
    expect(await registry.getSingleMetricAsString("asi_retention_removed_total")).toContain(
      'kind="audit_log"} 1000',
    );
  });

  it("repeats while a worker runs", async () => {
    const { queries } = s.store.database;
    const config = testConfig({ retentionIntervalMs: 1_000 });
    const service = await startProcess(config, s.store, "all");
    stopAfterTest(() => service.stop());
    const codes = () => queries.$count(idempotencyKeys);
    const [account] = await queries
      .insert(accounts)
      .values({
        role: "MANAGER",
        username: "a",
        usernameKey: "a",
        email: "",
        createdAt: new Date(),
      })
      .returning();
    // Wait for more than one run, because the second run removes rows that expire between the two runs.
    for (const key of ["first", "second"]) {
      await queries.insert(idempotencyKeys).values({
        accountId: account?.id ?? 0,
        path: "/",
        key,
        fingerprint: new Uint8Array(),
        createdAt: new Date(0),
      });
      await expect.poll(codes).toBe(0);
    }
  });

  it("removes only expired rows", async () => {
    const years = await TestService.start(s.store);
    await register(s);
    await s.runJobs();
    expect((await jobsOf("mail")).length).toBe(1);
    years.clock.advance(91 * 86_400_000);
    await applyRetention(years.ctx);
    expect((await jobsOf("mail")).length).toBe(0);
    expect(await s.store.database.queries.$count(auditLog)).toBeGreaterThan(0);
    years.clock.advance(700 * 86_400_000);
    await applyRetention(years.ctx);
    expect(await s.store.database.queries.$count(auditLog)).toBe(0);
  });

  it("removes at most a thousand rows per statement, to keep locks short", async () => {
    const { queries, pool } = s.store.database;
    await queries.execute(sql`
      INSERT INTO audit_log (at, request_id, operation, entity, entity_id)
      SELECT ${new Date(0)}, 'r', 'o', 'account', n FROM generate_series(1, 2500) AS n`);
    await queries.execute(sql`
      INSERT INTO throttle_counters (key, points, expire) SELECT 'k' || n, 1, 1 FROM generate_series(1, 1001) AS n`);
    const sent: string[] = [];
    const listening = queriesOf(pool, { logQuery: (text) => void sent.push(text) });
    await applyRetention({ ...s.ctx, queries: listening });
    expect(await queries.$count(auditLog)).toBe(0);
    const statementsOn = (table: string) =>
      sent.filter((text) => new RegExp(`DELETE FROM "?${table}"?\\b`).test(text)).length;
    // The third statement removes counters that are too far ahead of the clock.
    expect([statementsOn("audit_log"), statementsOn("throttle_counters")]).toEqual([3, 3]);
  });
});
