/** Events of webhooks whose owner has as many waiting deliveries as the quota allows. */
import { describe, expect } from "vitest";
import { emit } from "./events.js";
import { TestService } from "./service.js";
import { lookup, receiver, SECRET, settings, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

describe("what a receiver gets when too many deliveries wait", () => {
  it("what the quota has room for; one failed delivery counts the rest, also of the same instant", async ({
    hooks: { s, register, ann, deliveries },
  }) => {
    const hook = await receiver();
    const few = await TestService.start(s.store, { ...settings, webhookMaxPending: 3 }, lookup);
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

  it("the first of the events that were counted, when that delivery is sent again; later ones are counted anew", async ({
    hooks: { s, register, deliveries, asAnn },
  }) => {
    const hook = await receiver();
    const few = await TestService.start(s.store, { ...settings, webhookMaxPending: 1 }, lookup);
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

  it("the count of each webhook for itself, in one delivery for each", async ({
    hooks: { s, register, asAnn, deliveries },
  }) => {
    const hook = await receiver();
    const few = await TestService.start(s.store, { ...settings, webhookMaxPending: 1 }, lookup);
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
});
