/** Tests how the lane of the webhooks finds due receivers among many waiting ones. */
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { Lane } from "../src/jobs/lane.js";
import type { Job } from "../src/store/queue/job-queue.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";

let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore());
});

beforeEach(async () => {
  await s.store.database.queries.execute(sql`DELETE FROM jobs`);
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const add = (receiver: string) =>
  transact(s.ctx, "test", ({ enqueue }) => enqueue({ kind: "webhook", payload: {}, chargedTo: 1, receiver }));

it("a pass reads one page of the receivers of an account, and later passes reach all others in turn", async () => {
  await s.store.database.queries.execute(sql`
    INSERT INTO jobs (job_id, kind, charged_to, receiver, state, payload, details, due_at, created_at)
    SELECT 'job-' || n, 'webhook', 1, 'host-' || lpad(n::text, 3, '0'), 'RETRY', '{}', '{}',
      ${s.ctx.clock.now()}::timestamptz + interval '1 day', now() FROM generate_series(1, 500) AS n`);
  const lane = new Lane({ kind: "webhook", places: 8, perReceiver: 2 });
  const taken: (string | null)[] = [];
  const execute = vi.spyOn(s.ctx.queries, "execute");
  const pass = async () => {
    execute.mockClear();
    await lane.fill(s.ctx, ({ receiver }: Job) => taken.push(receiver));
    return execute.mock.calls.length;
  };
  await add("host-999");
  // Each pass finds the group and the account, and reads 200 receivers.
  expect(await pass()).toBe(3);
  expect(taken).toEqual([]);
  await pass();
  expect(taken).toEqual([]);
  await pass();
  expect(taken).toEqual(["host-999"]);
  // The group, the account and the receiver were served last, so each is looked for again after the others.
  await add("host-000");
  expect(await pass()).toBeLessThanOrEqual(7);
  expect(taken).toEqual(["host-999", "host-000"]);
});

it("a pass asks a limited number of accounts whose receivers are busy, and later passes reach all others", async () => {
  const lane = new Lane({ kind: "webhook", places: 8, perReceiver: 1 });
  const taken: Job[] = [];
  const execute = vi.spyOn(s.ctx.queries, "execute");
  const pass = async () => {
    execute.mockClear();
    await lane.fill(s.ctx, (job) => taken.push(job));
    return execute.mock.calls.length;
  };
  await add("busy");
  await pass();
  expect(taken).toHaveLength(1);
  await s.store.database.queries.execute(sql`
    INSERT INTO jobs (job_id, kind, charged_to, receiver, state, payload, details, due_at, created_at)
    SELECT 'job-' || n, 'webhook', n, CASE n WHEN 350 THEN 'other' ELSE 'busy' END, 'PENDING', '{}', '{}', now(), now()
    FROM generate_series(2, 500) AS n`);
  // Each pass asks 100 accounts, and finds them in pages of 200.
  const statements = [await pass(), await pass(), await pass(), await pass()];
  expect(Math.max(...statements)).toBeLessThanOrEqual(110);
  expect(taken.map(({ receiver }) => receiver)).toEqual(["busy", "other"]);
});

it("receivers with many due jobs do not delay another receiver of the same account", async () => {
  const receivers = ["a", "b", "c", "d", "e"];
  for (const receiver of receivers) for (let n = 0; n < 12; n++) await add(receiver);
  const lane = new Lane({ kind: "webhook", places: 8, perReceiver: 1 });
  const running: Job[] = [];
  const started = new Map<string, number>();
  for (let n = 0; n < 30; n++) {
    await lane.fill(s.ctx, (job) => {
      running.push(job);
      started.set(job.receiver ?? "", (started.get(job.receiver ?? "") ?? 0) + 1);
    });
    const first = running.shift();
    if (first !== undefined) lane.done(first);
  }
  for (const receiver of receivers) expect(started.get(receiver)).toBeGreaterThanOrEqual(4);
});
