/** Delivers webhooks to real receivers on the loopback interface, with a clock that the tests set. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { and, eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { ACCOUNT_EVENT_NAMES, emitAccountEvent } from "../src/domain/webhooks/account-events.js";
import { emitActivityEvent } from "../src/domain/webhooks/events.js";
import { isWaiting } from "../src/store/queue/job-queue.js";
import { jobs, webhookDeliveries } from "../src/store/schema.js";
import { emit } from "./events.js";
import { answer, isSigned } from "./receiver.js";
import type { TestService } from "./service.js";
import { Team } from "./team.js";
import { HOUR_MS, isAcceptedByLibrary, receiver, SECRET, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

/** Emits each kind of account event as the service does. */
const emitAll = (s: TestService, owner: number) =>
  transact(s.ctx, "test", async (unit) => {
    const [from, to] = ["2024-03-01T10:00:00.000Z", "2024-03-01T10:00:01.000Z"];
    await emitAccountEvent(unit, owner, "samples.stored", { device: 1, from, to });
    await emitAccountEvent(unit, owner, "job.finished", {
      job: "job-1",
      state: "SUCCESS",
      code: null,
      stored: 600,
      known: 0,
      refused: 0,
    });
    for (const event of ["session.changed", "session.computed"] as const)
      await emitAccountEvent(unit, owner, event, { session: 1 });
  });

describe("a receiver gets", () => {
  it("the trace of the request that made the change, with a new parent, or no trace if the header is malformed", async ({
    hooks: { s, register, ann },
  }) => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const activity = `/api/v1/activities/${webhook.activity}/`;
    for (const [name, sent] of [
      ["traced", traceparent],
      ["not traced", "00-xyz"],
    ] as const) {
      const headers = { traceparent: sent };
      const { status } = await s.send("PATCH", activity, { token: ann.token, json: { name }, headers });
      expect(status).toBe(200);
      await s.runJobs();
    }
    const [traced, untraced] = hook.received.map(({ headers }) => headers.traceparent);
    expect(traced).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
    expect(traced).not.toBe(traceparent);
    expect(untraced).toBeUndefined();
  });

  it("the events selected by the flags, with ids only, the token and a signature", async ({
    hooks: { s, register, states },
  }) => {
    const hook = await receiver();
    const webhook = await register(`${hook.url}?key=1`);
    await emit(s, "activity-updated", webhook.activity);
    await emit(s, "timeframe-created", webhook.activity, 7);
    await s.runJobs();
    const [first, second] = [...hook.received].sort((a, b) => a.body.length - b.body.length);
    if (first === undefined || second === undefined) throw new Error("Not received");
    expect(JSON.parse(first.body)).toEqual({
      event: "activity-updated",
      webhook_id: webhook.id,
      data: { activity_id: webhook.activity },
    });
    expect(JSON.parse(second.body)).toEqual({
      event: "timeframe-created",
      webhook_id: webhook.id,
      data: { activity_id: webhook.activity, timeframe_id: 7 },
    });
    for (const call of [first, second]) {
      expect(call.path).toBe("/hook?key=1");
      expect(call.headers["content-type"]).toBe("application/json");
      expect(call.headers["user-agent"]).toMatch(/^asi-server/);
      expect(Buffer.from(String(call.headers["x-asi-api-token"]), "latin1").toString("utf8")).toBe(SECRET);
      expect(isSigned(call, SECRET)).toBe(true);
      expect(isSigned(call, `${SECRET}x`)).toBe(false);
      expect(isAcceptedByLibrary(call, SECRET)).toBe(true);
      expect(isAcceptedByLibrary(call, `${SECRET}x`)).toBe(false);
      expect(isAcceptedByLibrary({ ...call, body: `${call.body} ` }, SECRET)).toBe(false);
      const seconds = Math.floor(s.clock.now().getTime() / 1000);
      expect(Number(call.headers["webhook-timestamp"])).toBe(seconds);
    }
    expect(first.headers["webhook-id"]).not.toBe(second.headers["webhook-id"]);
    expect(await states(webhook)).toEqual(["delivered", "delivered"]);
  });

  it("every event with the body and the headers that the OpenAPI document describes", async ({
    hooks: { s, register, asAnn },
  }) => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    const { activity } = webhook;
    for (const kind of ["activity-updated", "activity-deleted"] as const) await emit(s, kind, activity);
    for (const kind of ["timeframe-created", "timeframe-updated", "timeframe-deleted"] as const)
      await emit(s, kind, activity, 3);
    await asAnn("POST", `${webhook.path}test/`);
    const owner = await s.manager();
    const all = { url: hook.url, events: ACCOUNT_EVENT_NAMES };
    const { body: ofAccount } = await s.post("/api/v2/webhooks/", all, owner.token);
    await emitAll(s, owner.id);
    await s.post(`/api/v2/webhooks/${ofAccount.id}/test/`, undefined, owner.token);
    await s.runJobs();
    const { body: document } = await s.get("/api/schema/");
    const called = hook.received.map(({ headers, body }) => {
      const call = JSON.parse(body);
      const event = call.event ?? call.type;
      const { parameters, requestBody } = document.webhooks[event].post;
      const isDescribed = new Ajv2020({ validateFormats: false }).compile(
        requestBody.content["application/json"].schema,
      );
      expect([event, isDescribed(call), isDescribed.errors]).toEqual([event, true, null]);
      const names = parameters.map(({ name }: { name: string }) => name.toLowerCase());
      const secret = call.event === undefined ? [] : ["x-asi-api-token"];
      expect(names).toEqual([...secret, "webhook-id", "webhook-timestamp", "webhook-signature"]);
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(names));
      return event;
    });
    expect(called.sort()).toEqual(Object.keys(document.webhooks).sort());
  });

  it.for([
    [{ activity_events: true, timeframes_events: false }, ["activity-deleted", "activity-updated"]],
    [
      { activity_events: false, timeframes_events: true },
      ["timeframe-created", "timeframe-deleted", "timeframe-updated"],
    ],
    [{ activity_events: false, timeframes_events: false }, []],
  ] as const)(
    "only the events selected by %o: %j",
    async ([flags, expected], { hooks: { s, register, activityOfAnn } }) => {
      const hook = await receiver();
      const { activity } = await register(hook.url, flags);
      const another = await activityOfAnn();
      for (const kind of ["activity-updated", "activity-deleted"] as const) {
        await emit(s, kind, activity);
        await emit(s, kind, another);
      }
      for (const kind of ["timeframe-created", "timeframe-updated", "timeframe-deleted"] as const) {
        await emit(s, kind, activity, 3);
      }
      await s.runJobs();
      expect(hook.received.map(({ body }) => JSON.parse(body).event).sort()).toEqual(expected);
    },
  );

  it("every change to an activity and its time frames, including their deletion, even if the webhook is also deleted", async ({
    hooks: { s },
  }) => {
    const hook = await receiver();
    const team = await Team.of(s);
    const { token } = team.manager;
    const send = (method: string, path: string, json?: unknown) => s.send(method, path, { token, json });
    const activity = `/api/v1/activities/${team.activity}/`;
    const flags = { activity_events: true, timeframes_events: true };
    await send("POST", `${activity}webhooks/`, { webhook_url: hook.url, secret_token: SECRET, ...flags });
    const [first, second] = [(await team.create()).body.id, (await team.create()).body.id];
    await send("PATCH", `/api/v1/timeframes/${first}/`, { params: { max_hr: 190 } });
    await send("PUT", `/api/v1/timeframes/${second}/`, await team.body());
    await send("DELETE", `/api/v1/timeframes/${second}/`);
    await send("PATCH", activity, { name: "Renamed" });
    // A refused change causes no event.
    expect((await send("PATCH", activity, { name: "" })).status).toBe(400);
    expect((await send("DELETE", activity)).status).toBe(204);
    await s.runJobs();
    const events = hook.received.map(({ body }) => {
      const { event, data } = JSON.parse(body);
      expect(data.activity_id).toBe(team.activity);
      return [event, data.timeframe_id];
    });
    expect(events.sort()).toEqual(
      [
        ["timeframe-created", first],
        ["timeframe-created", second],
        ["timeframe-updated", first],
        ["timeframe-updated", second],
        ["timeframe-deleted", second],
        ["activity-updated", undefined],
        ["timeframe-deleted", first],
        ["activity-deleted", undefined],
      ].sort(),
    );
    expect(hook.received.every((call) => isSigned(call, SECRET))).toBe(true);
  });

  it("no event for a change that was rolled back", async ({ hooks: { s, register } }) => {
    const hook = await receiver();
    const { activity } = await register(hook.url);
    await expect(
      transact(s.ctx, "test", async (change) => {
        await emitActivityEvent(change, "activity-updated", { activityId: activity });
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow();
    await s.runJobs();
    expect(hook.received).toEqual([]);
  });

  it("earlier events at the earlier URL, even if the webhook has changed since", async ({
    hooks: { s, register, asAnn },
  }) => {
    const [old, fresh] = [await receiver(), await receiver()];
    const webhook = await register(old.url);
    await emit(s, "activity-updated", webhook.activity);
    await asAnn("PATCH", webhook.path, { webhook_url: fresh.url, secret_token: "another" });
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect([old.received.length, fresh.received.length]).toEqual([1, 1]);
    expect(old.received.every((call) => isSigned(call, SECRET))).toBe(true);
    expect(fresh.received.every((call) => isSigned(call, "another"))).toBe(true);
  });

  it("nothing after the webhook is deleted", async ({ hooks: { s, register, asAnn, advance } }) => {
    const hook = await receiver();
    hook.behaviour = answer(503);
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    await emit(s, "timeframe-created", webhook.activity, 5);
    expect((await asAnn("DELETE", webhook.path)).status).toBe(204);
    await emit(s, "timeframe-created", webhook.activity, 6);
    await advance(HOUR_MS);
    expect(hook.received).toHaveLength(1);
    const left = await s.store.database.queries
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, webhook.id));
    expect(left.map(({ state, response }) => [state, response])).toEqual([
      ["failed", "Not sent: the webhook was deleted."],
      ["failed", "Not sent: the webhook was deleted."],
    ]);
    expect(await s.store.database.queries.$count(jobs, and(eq(jobs.kind, "webhook"), isWaiting))).toBe(0);
  });

  it("one call for identical waiting events, and a second call for events after the first call has begun", async ({
    hooks: { s, register },
  }) => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    for (let again = 0; again < 5; again += 1) {
      await emit(s, "activity-updated", webhook.activity);
      await emit(s, "timeframe-updated", webhook.activity, 1);
      await emit(s, "timeframe-updated", webhook.activity, 2);
    }
    await s.runJobs();
    expect(hook.received.map(({ body }) => JSON.parse(body).data.timeframe_id).sort()).toEqual([
      1,
      2,
      undefined,
    ]);
    hook.behaviour = (response) => {
      hook.behaviour = answer(204);
      // The activity changes again during the call.
      emit(s, "activity-updated", webhook.activity).then(() => response.writeHead(204).end());
    };
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(hook.received).toHaveLength(5);
  });

  it("one call for each webhook and time frame of a deleted activity, for any number of time frames", async ({
    hooks: { s },
  }) => {
    // Multiplied by the time frames, this gives more deliveries than one transaction may write (200).
    const HOOKS = 19;
    const hook = await receiver();
    const team = await Team.of(s);
    const { token } = team.manager;
    const path = `/api/v1/activities/${team.activity}/`;
    const flags = { activity_events: true, timeframes_events: true };
    for (let index = 0; index < HOOKS; index += 1) {
      const sent = { webhook_url: `${hook.url}/${index}`, secret_token: SECRET, ...flags };
      await s.send("POST", `${path}webhooks/`, { token, json: sent });
    }
    const frames: number[] = [];
    for (let index = 0; index < 10; index += 1) frames.push((await team.create()).body.id);
    await s.runJobs();
    hook.received.length = 0;
    expect((await s.send("DELETE", path, { token })).status).toBe(204);
    await s.runJobs();
    const calls = hook.received.map(({ path, body }) => {
      const { event, data } = JSON.parse(body);
      return `${path} ${event} ${data.timeframe_id ?? ""}`;
    });
    expect(new Set(calls).size).toBe(HOOKS * 11);
    expect(calls).toHaveLength(HOOKS * 11);
    expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(HOOKS * 11);
  });
});

describe("a manual call", () => {
  it("sends a delivery again with the same id, to the current URL of the webhook", async ({
    hooks: { s, register, asAnn, deliveries, advance },
  }) => {
    const [old, fresh] = [await receiver(), await receiver()];
    old.behaviour = answer(500);
    const webhook = await register(old.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    await asAnn("PATCH", webhook.path, { webhook_url: fresh.url, secret_token: "another" });
    const [{ id }] = await deliveries(webhook);
    const resent = await asAnn("POST", `${webhook.path}deliveries/${id}/resend/`);
    expect(resent.status).toBe(200);
    expect(resent.headers.get("deprecation")).toBe("@1704067200");
    expect(resent.body).toMatchObject({ id, state: "pending", attempts: 0, webhook_url: fresh.url });
    await s.runJobs();
    expect(await deliveries(webhook)).toMatchObject([
      { state: "delivered", attempts: 1, response_status: 204 },
    ]);
    const [call] = fresh.received;
    expect(call?.headers["webhook-id"]).toBe(old.received[0]?.headers["webhook-id"]);
    expect(call !== undefined && isSigned(call, "another")).toBe(true);
    // The attempt that was planned earlier is not made in addition.
    await advance(24 * HOUR_MS);
    expect([old.received.length, fresh.received.length]).toEqual([1, 1]);
    await asAnn("POST", `${webhook.path}deliveries/${id}/resend/`);
    await s.runJobs();
    expect(fresh.received).toHaveLength(2);
  });

  it("can be a test call, which is made once and does not count", async ({
    hooks: { s, register, asAnn, advance, states, row },
  }) => {
    const hook = await receiver();
    hook.behaviour = answer(500);
    const webhook = await register(hook.url, { activity_events: false, timeframes_events: false });
    const tested = await asAnn("POST", `${webhook.path}test/`);
    expect(tested).toMatchObject({ status: 200, body: { event: "test", state: "pending" } });
    await s.runJobs();
    await advance(48 * HOUR_MS);
    expect(hook.received.map(({ body }) => JSON.parse(body))).toEqual([
      { event: "test", webhook_id: webhook.id, data: { activity_id: webhook.activity } },
    ]);
    expect(await states(webhook)).toEqual(["failed"]);
    expect(await row(webhook)).toMatchObject({ failures: 0, disabledAt: null });
  });
});
