/** Tests how jobs are found, leased and requeued. */
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { transact } from "../src/domain/change/change.js";
import type { ComputedTexts } from "../src/domain/change/compute-pool.js";
import { addressCaller, currentCaller, jobCaller, jobGroupOf, onBehalfOf } from "../src/fairness/callers.js";
import { Lane } from "../src/jobs/lane.js";
import type { Queries } from "../src/store/connection/database.js";
import {
  accountsWaiting,
  groupsWaiting,
  kindsDue,
  leaseOf,
  leaseOfReceivers,
  receiversWaiting,
} from "../src/store/queue/job-lease.js";
import { jobs } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { ENDED } from "./ended-lease.js";
import { startMailServer } from "./mail-server.js";
import { TestService } from "./service.js";
import { Team } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore());
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const addMail = (on = s) =>
  transact(on.ctx, "test", (change) =>
    change.enqueue({ kind: "mail", payload: { to: "a@example.org", username: "u", sealedPassword: null } }),
  );

const jobOf = async (id: number | undefined) => {
  const [row] = await s.store.database.queries
    .select()
    .from(jobs)
    .where(eq(jobs.id, id ?? 0));
  return row;
};

describe("leases", () => {
  it("use the clock of the database: a worker with a fast clock does not take the jobs of others", async () => {
    const mail = await startMailServer();
    const one = await TestService.start(s.store, { smtpUrl: mail.url });
    const ahead = await TestService.start(s.store, { smtpUrl: mail.url });
    ahead.clock.advance(3_600_000);
    const release = mail.hold();
    const job = await addMail();
    const done = one.runJobs();
    await expect.poll(() => mail.held()).toBe(1);
    await ahead.runJobs();
    expect(await jobOf(job?.id)).toMatchObject({ state: "STARTED", losses: 0 });
    release();
    await done;
    expect([mail.mails.length, (await jobOf(job?.id))?.state]).toEqual([1, "SUCCESS"]);
  });

  it("are renewed while the job runs, however long it takes", async () => {
    const mail = await startMailServer();
    const leased = { smtpUrl: mail.url, jobLeaseMs: 3_000 };
    const [one, two] = [await TestService.start(s.store, leased), await TestService.start(s.store, leased)];
    const release = mail.hold();
    const job = await addMail();
    const done = one.runJobs();
    await expect.poll(() => mail.held()).toBe(1);
    const until = (await jobOf(job?.id))?.leaseUntil?.getTime() ?? 0;
    // This is after the end of the first lease.
    await expect
      .poll(async () => ((await jobOf(job?.id))?.leaseUntil?.getTime() ?? 0) - until)
      .toBeGreaterThan(3_000);
    await two.runJobs();
    expect(await jobOf(job?.id)).toMatchObject({ state: "STARTED", losses: 0 });
    release();
    await done;
    expect(mail.mails).toHaveLength(1);
  });

  it("are not lost while their workers run, even if the database cannot renew them", async () => {
    const mail = await startMailServer();
    const one = await TestService.start(s.store, { smtpUrl: mail.url });
    const release = mail.hold();
    const job = await addMail();
    const done = one.runJobs();
    await expect.poll(() => mail.held()).toBe(1);
    await s.store.database.queries
      .update(jobs)
      .set({ leaseUntil: ENDED })
      .where(eq(jobs.id, job?.id ?? 0));
    // The worker checks for lost jobs before it takes this job.
    const next = await transact(one.ctx, "test", (change) =>
      change.enqueue({ kind: "compute", payload: { timeframe: 2 ** 31 } }),
    );
    one.service.worker.wake();
    await expect.poll(async () => (await jobOf(next?.id))?.state).toBe("SUCCESS");
    expect(await jobOf(job?.id)).toMatchObject({ state: "STARTED", losses: 0 });
    release();
    await done;
    expect([mail.mails.length, await jobOf(job?.id)]).toMatchObject([1, { state: "SUCCESS", losses: 0 }]);
  });

  it("do not write after they are lost; the worker that now holds the job determines the outcome", async () => {
    const mail = await startMailServer();
    const still = await TestService.start(s.store, { smtpUrl: mail.url });
    const other = await TestService.start(s.store, { smtpUrl: mail.url });
    const refuse = mail.hold({ refuses: true });
    const job = await addMail();
    const late = still.runJobs();
    await expect.poll(() => mail.held()).toBe(1);
    // Set the row as it is after a worker was suspended for longer than its lease.
    await s.store.database.queries
      .update(jobs)
      .set({ leaseUntil: ENDED })
      .where(eq(jobs.id, job?.id ?? 0));
    await other.runJobs();
    expect(await jobOf(job?.id)).toMatchObject({ state: "SUCCESS", losses: 1 });
    refuse();
    await late;
    expect(await jobOf(job?.id)).toMatchObject({ state: "SUCCESS", losses: 1, failures: 0 });
  });

  it("end with the service: unfinished jobs are immediately available to other workers", async () => {
    const mail = await startMailServer();
    const stopping = await TestService.start(s.store, { smtpUrl: mail.url, shutdownTimeoutMs: 200 });
    const release = mail.hold();
    const job = await addMail();
    stopping.runJobs().catch(() => undefined);
    await expect.poll(() => mail.held()).toBe(1);
    await stopping.stop();
    expect(await jobOf(job?.id)).toMatchObject({ state: "PENDING", losses: 0, leaseToken: null });
    release();
    const other = await TestService.start(s.store, { smtpUrl: mail.url });
    await other.runJobs();
    expect(await jobOf(job?.id)).toMatchObject({ state: "SUCCESS", losses: 0 });
  });
});

describe("with jobs of several accounts", () => {
  it("many jobs of one account do not delay a job of another account", async () => {
    const mail = await startMailServer();
    const worker = await TestService.start(s.store, { smtpUrl: mail.url, jobConcurrency: 1 });
    const add = (chargedTo: number) =>
      transact(s.ctx, "test", (change) =>
        change.enqueue({
          kind: "mail",
          payload: { to: `of-${chargedTo}@example.org`, username: "u", sealedPassword: null },
          chargedTo,
        }),
      );
    for (let index = 0; index < 10; index += 1) await add(7);
    await add(8);
    await add(9);
    await worker.runJobs();
    const order = mail.mails.map((text) => /To: of-(\d)/.exec(text)?.[1]);
    expect(order).toHaveLength(12);
    expect(order.slice(0, 4)).toEqual(expect.arrayContaining(["8", "9"]));
  });

  it("many accounts of one address do not delay an account of another address", async () => {
    const mail = await startMailServer();
    const worker = await TestService.start(s.store, { smtpUrl: mail.url, jobConcurrency: 1 });
    const add = (address: string, chargedTo: number) =>
      onBehalfOf(addressCaller(address), () =>
        transact(s.ctx, "test", (change) =>
          change.enqueue({
            kind: "mail",
            payload: { to: `of-${chargedTo}@example.org`, username: "u", sealedPassword: null },
            chargedTo,
          }),
        ),
      );
    for (let account = 1; account <= 20; account += 1) await add("192.0.2.1", account);
    await add("192.0.2.2", 99);
    await addMail();
    await worker.runJobs();
    const order = mail.mails.map((text) => /To: (?:of-)?(\w+)@/.exec(text)?.[1]);
    expect(order).toHaveLength(22);
    // Three groups take turns: the two addresses and the service itself.
    expect(order.slice(0, 3)).toEqual(expect.arrayContaining(["99", "a"]));
  });

  it("many accounts of one address with unresponsive receivers leave slots for other addresses", async () => {
    const lane = new Lane({ kind: "webhook", places: 8, perReceiver: 8 });
    const add = (address: string, account: number) =>
      onBehalfOf(addressCaller(address), () =>
        transact(s.ctx, "test", ({ enqueue }) =>
          enqueue({
            kind: "webhook",
            payload: {},
            chargedTo: account,
            receiver: `receiver-${account}.example:80`,
          }),
        ),
      );
    const charged: (number | null)[] = [];
    const fill = () => lane.fill(s.ctx, ({ chargedTo }) => charged.push(chargedTo));
    for (let account = 1; account <= 20; account += 1) await add("192.0.2.1", account);
    await fill();
    // No job has ended. The address occupies three times as many slots as it leaves free.
    expect(charged).toHaveLength(6);
    await add("192.0.2.2", 99);
    await fill();
    expect(charged.slice(6)).toEqual([99]);
    await s.store.database.queries.execute(sql`TRUNCATE jobs`);
  });

  it("jobs added by a job are charged to the address that caused it", async () => {
    const groups = await Promise.all(
      ["192.0.2.1", "192.0.2.2"].map((address) =>
        onBehalfOf(addressCaller(address), () => jobGroupOf(currentCaller(), s.ctx.serverKey)),
      ),
    );
    expect(new Set(groups).size).toBe(2);
    for (const group of groups) {
      expect(group).not.toContain("192");
      const added = await onBehalfOf(jobCaller(7, group), () => addMail());
      expect((await jobOf(added?.id))?.chargedGroup).toBe(group);
    }
    expect((await jobOf((await addMail())?.id))?.chargedGroup).toBe("");
    await s.store.database.queries.execute(sql`TRUNCATE jobs`);
  });
});

describe("with separate slots for each kind of work", () => {
  it("jobs that end at once leave jobs of other kinds their turn", async () => {
    for (let i = 0; i < 10; i += 1) await addMail();
    const lane = new Lane({ kind: "mail", places: 3 });
    const taken: number[] = [];
    const fill = () =>
      lane.fill(s.ctx, (job) => {
        taken.push(job.id);
        lane.done(job);
      });
    expect(await fill()).toBe(true);
    expect(taken).toHaveLength(3);
    while (await fill());
    expect(new Set(taken).size).toBe(10);
    await s.store.database.queries.execute(sql`TRUNCATE jobs`);
  });

  it("mail is sent while computations use all of their slots", async () => {
    const mail = await startMailServer();
    const worker = await TestService.start(s.store, { smtpUrl: mail.url, jobConcurrency: 1 });
    const team = await Team.of(worker);
    await team.frame(0, 600);
    let end: (texts: ComputedTexts) => void = () => expect.fail();
    const result = new Promise<ComputedTexts>((resolve) => {
      end = resolve;
    });
    const compute = vi.spyOn(worker.service.computer, "compute").mockReturnValue(result);
    const done = worker.runJobs();
    await expect.poll(() => compute.mock.calls.length).toBe(1);
    await addMail();
    worker.service.worker.wake();
    await expect.poll(() => mail.mails.filter((text) => text.includes("To: a@example.org")).length).toBe(1);
    end({ data: "{}", further: "{}", profilePoints: "[]", sessionMaxSpeed: null });
    await done;
  });
});

/** Runs statements under EXPLAIN ANALYZE, and records the number of database pages that each one accessed. */
function explaining(): { queries: Queries; touched: number[] } {
  const { pool } = s.store.database;
  const touched: number[] = [];
  const query = async (statement: { text: string }, values: unknown[]) => {
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`, values);
    const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
    touched.push(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
    return { rows: [], rowCount: 0, fields: [] };
  };
  return { queries: drizzle({ query } as never) as unknown as Queries, touched };
}

describe("after 300,000 waiting webhooks", () => {
  const LEASE_MS = 60_000;

  beforeAll(async () => {
    await s.store.database.queries.execute(sql`
      INSERT INTO jobs (job_id, kind, charged_to, receiver, state, payload, details, due_at, created_at)
      SELECT 'job-waiting-' || n, 'webhook', 1 + n % 3, 'receiver-' || n % 30, 'PENDING', '{}', '{}',
        now() - interval '1 hour', now() FROM generate_series(1, 300000) AS n`);
    await s.store.database.queries.execute(sql`
      INSERT INTO jobs (job_id, kind, charged_to, state, payload, details, due_at, created_at)
      VALUES ('job-behind', 'compute', 5, 'PENDING', '{}', '{}', now(), now())`);
  }, 300_000);

  afterAll(async () => {
    await s.store.database.queries.execute(sql`TRUNCATE jobs`);
  });

  // Use a time after the rows are due, however long the earlier tests took.
  const now = new Date(Date.now() + 3_600_000);

  it.each<[string, (queries: Queries) => Promise<unknown>]>([
    ["whether a computation is due", (queries) => kindsDue(queries, ["compute", "bulk-load"], now)],
    [
      "which accounts have waiting computations",
      (queries) => accountsWaiting(queries, "compute", "", null, now),
    ],
    ["which addresses have waiting webhooks", (queries) => groupsWaiting(queries, "webhook", null, now)],
    ["which accounts have waiting webhooks", (queries) => accountsWaiting(queries, "webhook", "", null, now)],
    [
      "which receivers have waiting webhooks",
      (queries) => receiversWaiting(queries, "webhook", { group: "", account: 1 }, "", now),
    ],
    ["a computation", (queries) => leaseOf(queries, LEASE_MS, "compute", { group: "", account: 5 }, 2, now)],
    [
      "webhooks of one receiver, skipping those of busy receivers",
      (queries) =>
        leaseOfReceivers(
          queries,
          LEASE_MS,
          "webhook",
          { group: "", account: 1 },
          [{ receiver: "receiver-27", places: 4 }],
          4,
          now,
        ),
    ],
  ])("%s is found without a scan", async (_, statement) => {
    const { queries, touched } = explaining();
    await statement(queries);
    // The table has thousands of pages.
    expect(Math.max(...touched)).toBeLessThan(250);
    expect(touched).toHaveLength(1);
  });
});
