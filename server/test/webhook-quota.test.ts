/** Tests events for webhooks whose owner has reached the limit on waiting deliveries or on delivery bytes per day. */
import { eq, sql } from "drizzle-orm";
import { describe, expect, vi } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { emitActivityEvents } from "../src/domain/webhooks/events.js";
import { jobs } from "../src/store/schema.js";
import { emit } from "./events.js";
import type { TestService } from "./service.js";
import { HOUR_MS, receiver, SECRET, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

/** Adds copies of a webhook to its activity. */
const copyWebhook = (s: TestService, id: number, count: number) =>
  s.store.database.queries.execute(sql`
    INSERT INTO webhooks (activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at)
    SELECT activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at
    FROM webhooks, generate_series(1, ${count}) WHERE id = ${id}`);

describe("a receiver of an account with too many waiting deliveries gets", () => {
  it("the deliveries within the quota; one failed delivery counts the others, even of the same instant", async ({
    hooks: { s, register, ann, deliveries, startAnother },
  }) => {
    const hook = await receiver();
    const few = await startAnother({ webhookMaxPending: 3 });
    const webhook = await register(hook.url);
    for (let frame = 1; frame <= 3; frame += 1) await emit(few, "timeframe-created", webhook.activity, frame);
    const more = Array.from({ length: 50 }, (_, i) => 4 + i);
    await Promise.all(more.map((frame) => emit(few, "timeframe-created", webhook.activity, frame)));
    const token = await few.logIn(ann.username, ann.password);
    const test = await few.post(`${webhook.path}test/`, undefined, token);
    expect([test.status, test.headers.get("x-error-code")]).toEqual([400, "too_many_deliveries"]);
    await few.stop();
    await s.runJobs();
    expect(hook.received).toHaveLength(3);
    const found = await deliveries(webhook);
    expect(found.map(({ state }: { state: string }) => state)).toEqual([
      "delivered",
      "delivered",
      "delivered",
      "failed",
    ]);
    expect(found[3].response).toMatch(
      /^50 events were not sent, the last one at 20\S+Z, because the limit of waiting deliveries of the account, 3, was reached\.$/,
    );
  });

  it("the first of the counted events when the failed delivery is sent again; later events are counted separately", async ({
    hooks: { s, register, deliveries, asAnn, startAnother },
  }) => {
    const hook = await receiver();
    const few = await startAnother({ webhookMaxPending: 1 });
    const webhook = await register(hook.url);
    for (let frame = 1; frame <= 3; frame += 1) await emit(few, "timeframe-created", webhook.activity, frame);
    await s.runJobs();
    const [, { id, response }] = await deliveries(webhook);
    expect(response).toContain("2 events were not sent");
    expect((await asAnn("POST", `${webhook.path}deliveries/${id}/resend/`)).status).toBe(200);
    await emit(few, "timeframe-created", webhook.activity, 4);
    await few.stop();
    await s.runJobs();
    expect(hook.received.map(({ body }) => JSON.parse(body).data.timeframe_id)).toEqual([1, 2]);
    expect(await deliveries(webhook)).toMatchObject([
      { state: "delivered" },
      { id, state: "delivered" },
      {
        state: "failed",
        response:
          "1 event was not sent, because the limit of waiting deliveries of the account, 1, was reached.",
      },
    ]);
  });

  it("a separate count for each webhook, in one delivery each", async ({
    hooks: { s, register, asAnn, deliveries, startAnother },
  }) => {
    const hook = await receiver();
    const few = await startAnother({ webhookMaxPending: 1 });
    const one = await register(hook.url);
    const event = (frame: number) => emit(few, "timeframe-created", one.activity, frame);
    await event(1);
    await event(2);
    const path = `/api/v1/activities/${one.activity}/webhooks/`;
    const fields = { webhook_url: hook.url, secret_token: SECRET, activity_events: true };
    const { body } = await asAnn("POST", path, { ...fields, timeframes_events: true });
    const other = { activity: one.activity, id: body.id, path: `${path}${body.id}/` };
    await event(3);
    await event(4);
    await few.stop();
    await s.runJobs();
    expect(await deliveries(one)).toMatchObject([
      { state: "delivered" },
      { state: "failed", response: expect.stringContaining("3 events were not sent") },
    ]);
    expect(await deliveries(other)).toMatchObject([
      { state: "failed", response: expect.stringContaining("2 events were not sent") },
    ]);
  });

  it("one count of all events of a large change that exceed the limit, in a few transactions", async ({
    hooks: { s, register, ann, startAnother },
  }) => {
    const hook = await receiver();
    const few = await startAnother({ webhookMaxPending: 10 });
    const webhook = await register(hook.url);
    const { queries } = s.store.database;
    await copyWebhook(s, webhook.id, 99);
    const subjects = Array.from({ length: 200 }, (_, i) => ({
      activityId: webhook.activity,
      timeframeId: i + 1,
    }));
    await transact(few.ctx, "test", (unit) => emitActivityEvents(unit, "timeframe-deleted", subjects));
    const transactions = vi.spyOn(queries, "transaction");
    await few.runJobs();
    expect(transactions.mock.calls.length).toBeGreaterThan(0);
    expect(transactions.mock.calls.length).toBeLessThan(80);
    transactions.mockRestore();
    const { rows } = await queries.execute<{ unsent: string; sent: string }>(sql`
      SELECT sum(unsent) AS unsent, count(*) FILTER (WHERE unsent IS NULL) AS sent FROM webhook_deliveries
      WHERE webhook_id IN (SELECT id FROM webhooks WHERE activity_id = ${webhook.activity})`);
    expect(Number(rows[0]?.unsent) + Number(rows[0]?.sent)).toBe(100 * 200);
    await few.stop();
    await queries.delete(jobs).where(eq(jobs.chargedTo, ann.id));
  });
});

describe("a receiver of an account whose deliveries have used the bytes of the day gets", () => {
  it("the deliveries within the limit; one failed delivery counts the others, however fast the receiver is; more follow the next day", async ({
    hooks: { register, ann, deliveries, startAnother },
  }) => {
    const hook = await receiver();
    const few = await startAnother({ webhookBytesPerDay: 8_000 });
    const webhook = await register(hook.url);
    for (let frame = 1; frame <= 9; frame += 1) {
      await emit(few, "timeframe-created", webhook.activity, frame);
      await few.runJobs();
    }
    expect(hook.received).toHaveLength(3);
    const found = await deliveries(webhook);
    expect(found).toHaveLength(4);
    expect(found[3].response).toMatch(
      /^6 events were not sent, the last one at 20\S+Z, because the limit of the account's deliveries in a day, 8000 bytes, was reached\.$/,
    );
    const token = await few.logIn(ann.username, ann.password);
    for (const path of ["test/", `deliveries/${found[0].id}/resend/`]) {
      const again = await few.post(`${webhook.path}${path}`, undefined, token);
      expect([again.status, again.headers.get("x-error-code")]).toEqual([400, "too_many_deliveries"]);
    }
    few.clock.advance(24 * HOUR_MS);
    await emit(few, "timeframe-created", webhook.activity, 10);
    await few.runJobs();
    expect(hook.received).toHaveLength(4);
    await few.stop();
  });

  it("fewer bytes for the failed deliveries that count unsent events", async ({
    hooks: { register, deliveries, startAnother },
  }) => {
    const hook = await receiver();
    const few = await startAnother({ webhookMaxPending: 1, webhookBytesPerDay: 8_000 });
    const webhook = await register(hook.url);
    // Of every two events, one is sent and one exceeds the limit on waiting deliveries. Four of the rows fit into the day.
    for (let frame = 1; frame <= 10; frame += 2) {
      await emit(few, "timeframe-created", webhook.activity, frame);
      await emit(few, "timeframe-created", webhook.activity, frame + 1);
      await few.runJobs();
    }
    await few.stop();
    expect((await deliveries(webhook)).map(({ state }: { state: string }) => state)).toEqual([
      "delivered",
      "failed",
      "delivered",
      "failed",
    ]);
  });

  it("a count of the events of large changes, which limits their waiting jobs", async ({
    hooks: { s, register, ann, startAnother },
  }) => {
    const hook = await receiver();
    const few = await startAnother({ webhookBytesPerDay: 50_000 });
    const webhook = await register(hook.url);
    const { queries } = s.store.database;
    await copyWebhook(s, webhook.id, 99);
    const many = () =>
      transact(few.ctx, "test", (unit) =>
        emitActivityEvents(
          unit,
          "timeframe-deleted",
          [1, 2, 3].map((timeframeId) => ({ activityId: webhook.activity, timeframeId })),
        ),
      );
    for (let i = 0; i < 10; i++) await many();
    const fanOuts = await queries
      .select()
      .from(jobs)
      .where(sql`${jobs.kind} = 'webhook-fan-out' AND ${eq(jobs.chargedTo, ann.id)}`);
    const bytes = JSON.stringify(fanOuts.map(({ payload }) => payload)).length;
    expect(fanOuts.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(50_000 + bytes / fanOuts.length);
    await few.stop();
    // Remove waiting deliveries, which would count in later tests.
    await queries.delete(jobs).where(eq(jobs.chargedTo, ann.id));
  });
});
