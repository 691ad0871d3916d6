/** Tests how the lane of the webhooks finds due receivers among many waiting ones. */
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { Lane } from "../src/jobs/lane.js";
import type { Job } from "../src/store/queue/job-queue.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";

let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore());
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
  // The group and the account were served last, so each is looked for again after the others.
  await add("host-000");
  expect(await pass()).toBeLessThanOrEqual(5);
  expect(taken).toEqual(["host-999", "host-000"]);
});
