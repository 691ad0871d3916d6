/** Tests changes to thousands of rows, which run in parts before the transaction that needs them. */
import { and, eq, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { BeginAgain } from "../src/domain/change/begin-again.js";
import { transact } from "../src/domain/change/change.js";
import type { Context } from "../src/domain/change/context.js";
import { deleteSamples } from "../src/domain/raw-data/delete.js";
import { attemptDelivery } from "../src/domain/webhooks/attempt.js";
import { deleteWebhook } from "../src/domain/webhooks/manage.js";
import { disableWebhook } from "../src/domain/webhooks/operate.js";
import { queriesOf } from "../src/store/connection/database.js";
import { isWaiting } from "../src/store/queue/job-queue.js";
import { jobs, webhookDeliveries } from "../src/store/schema.js";
import { emit } from "./events.js";
import { answer } from "./receiver.js";
import { walk } from "./recordings.js";
import type { TestAccount, TestService } from "./service.js";
import { receiver, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

/** Returns a context, and the statements that it runs. */
function logged(s: TestService, { id, username }: TestAccount): { ctx: Context; statements: string[] } {
  const statements: string[] = [];
  const queries = queriesOf(s.store.database.pool, { logQuery: (text) => statements.push(text) });
  const caller = { id, role: "MANAGER" as const, username, scopes: null, canCreateManagedAthletes: false };
  return { ctx: { ...s.ctx, queries, caller }, statements };
}

/** The first statement is rolled back, because there are more rows. Three others are transactions of their own. */
const PARTS_OF_2500 = 5;

describe("2,500 waiting deliveries are cancelled a thousand at a time", () => {
  const URL = "https://receiver.example/";

  const addDeliveries = (s: TestService, owner: number, webhook: number, url: string) =>
    s.store.database.queries.execute(sql`
      WITH added AS (
        INSERT INTO jobs (job_id, kind, charged_to, charged_group, state, payload, details, receiver, due_at, created_at)
        SELECT 'job-' || gen_random_uuid(), 'webhook', ${owner}, '', 'PENDING', '{}', '{}', 'receiver.example', now(), now()
        FROM generate_series(1, 2500) RETURNING id
      )
      INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, job_id, created_at)
      SELECT 'msg_' || gen_random_uuid(), ${webhook}, ${url}, '', 'activity-updated', '{}', 'pending', id, now()
      FROM added`);

  const cancels = (statements: string[]) =>
    statements.filter((text) => /WITH (cancelled|carriers) AS/.test(text)).length;

  async function expectNone({ store: { database } }: TestService, webhook: number) {
    const isOpen = sql`webhook_id = ${webhook} AND state <> 'failed'`;
    expect(await database.queries.$count(webhookDeliveries, isOpen)).toBe(0);
    expect(await database.queries.$count(jobs, and(eq(jobs.kind, "webhook"), isWaiting))).toBe(0);
  }

  it("when the webhook is deleted", async ({ hooks: { s, ann, register } }) => {
    const { id, activity } = await register(URL);
    await addDeliveries(s, ann.id, id, URL);
    const { ctx, statements } = logged(s, ann);
    await deleteWebhook(ctx, { activity, webhook: id });
    expect(cancels(statements)).toBe(PARTS_OF_2500);
    await expectNone(s, id);
  });

  it("when the operator disables the webhook", async ({ hooks: { s, ann, register, row } }) => {
    const webhook = await register(URL);
    await addDeliveries(s, ann.id, webhook.id, URL);
    const { ctx, statements } = logged(s, ann);
    await disableWebhook(ctx, webhook.id);
    expect(cancels(statements)).toBe(PARTS_OF_2500);
    await expectNone(s, webhook.id);
    expect((await row(webhook))?.disabledAt).not.toBeNull();
  });

  it("when the receiver unsubscribes; the delivery that it refused keeps its status", async ({
    hooks: { s, ann, register, row },
  }) => {
    const { queries } = s.store.database;
    const hook = await receiver();
    hook.behaviour = answer(410);
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    const [job] = await queries
      .select()
      .from(jobs)
      .where(and(eq(jobs.kind, "webhook"), isWaiting));
    await queries
      .update(jobs)
      .set({ state: "STARTED" })
      .where(eq(jobs.id, job?.id ?? 0));
    await addDeliveries(s, ann.id, webhook.id, hook.url);
    const { ctx, statements } = logged(s, ann);
    await attemptDelivery(ctx, { id: job?.id ?? 0, chargedTo: ann.id });
    expect(cancels(statements)).toBe(PARTS_OF_2500);
    await expectNone(s, webhook.id);
    expect((await row(webhook))?.disabledAt).not.toBeNull();
    const [tried] = await queries
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.jobId, job?.id ?? 0));
    expect(tried).toMatchObject({ responseStatus: 410, attempts: 1 });
    expect(hook.received).toHaveLength(1);
  });

  it("when the account is closed", async ({ hooks: { s, register } }) => {
    const closed = await s.manager();
    const { id } = await register(URL);
    await addDeliveries(s, closed.id, id, URL);
    const { ctx, statements } = logged(s, closed);
    await transact(ctx, "account delete", (unit) => unit.announce("accountClosed", { accountId: closed.id }));
    expect(cancels(statements)).toBe(PARTS_OF_2500);
    await expectNone(s, id);
  });
});

it("the hashes of 2,500 recordings are deleted a thousand at a time before their samples", async ({
  hooks: { s, ann },
}) => {
  const device = await s.longOwned(ann);
  const start = "2024-03-01T10:00:00.000Z";
  await s.load(device, ann, await walk(device.serial_number, start, 10));
  const startMs = Date.parse(start);
  await s.store.database.queries.execute(sql`
    INSERT INTO jobs (job_id, kind, charged_to, state, payload, details, due_at, created_at)
    SELECT 'loaded-' || n, 'bulk-load', ${ann.id}, 'SUCCESS',
      jsonb_build_object('device', ${device.id}::bigint, 'sha256', n, 'from', ${startMs}::bigint, 'to', ${startMs}::bigint + 900), '{}', now(), now()
    FROM generate_series(1, 2500) AS n`);
  const { ctx, statements } = logged(s, ann);
  const { deleted } = await deleteSamples(
    ctx,
    device.serial_number,
    new Date(startMs),
    new Date(startMs + 1000),
  );
  expect(deleted).toBe(10);
  expect(statements.filter((text) => /^UPDATE "jobs" SET payload/.test(text))).toHaveLength(PARTS_OF_2500);
  expect(await s.store.database.queries.$count(jobs, sql`payload ? 'sha256'`)).toBe(0);
});

it("a transaction that always begins again is refused after five attempts", async ({ hooks: { s } }) => {
  let times = 0;
  const again = transact(s.ctx, "test", async () => {
    throw new BeginAgain(async () => {
      times += 1;
    });
  });
  await expect(again).rejects.toMatchObject({ kind: "conflict", code: "concurrent_changes" });
  expect(times).toBe(4);
});
