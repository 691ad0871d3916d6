/** Deliveries to real receivers on loopback. The clock is moved, not waited for. */
import { and, eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Config, readConfig } from "../src/config.js";
import type { AddressLookup } from "../src/domain/address-lookup.js";
import { transact } from "../src/domain/change.js";
import { emitActivityEvent } from "../src/domain/webhooks/events.js";
import { isWaiting } from "../src/store/queue.js";
import { auditLog, jobs, webhookDeliveries, webhooks } from "../src/store/schema.js";
import { emit } from "./events.js";
import { answer, isSigned, type Receiver, startReceiver } from "./receiver.js";
import { newStore, type TestAccount, TestService } from "./service.js";
import { newActivity, Team } from "./team.js";

const SECRET = "sesame ünd more";
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than the wait by the jitter. */
const SCHEDULE_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS];

const NAMES: Record<string, string[]> = { "receiver.example": ["127.0.0.1"] };
const lookup: AddressLookup = async (name) => {
  const found = NAMES[name];
  if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
  return found;
};

const settings: Partial<Config> = {
  webhookAllowPrivate: true,
  webhookTimeoutMs: 400,
  webhookConnectTimeoutMs: 200,
};

let s: TestService;
let ann: TestAccount;
const receivers: Receiver[] = [];

beforeAll(async () => {
  s = await TestService.start(await newStore(), settings, lookup);
  ann = await s.manager();
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

async function receiver(): Promise<Receiver> {
  const started = await startReceiver();
  receivers.push(started);
  return started;
}

async function activityOfAnn(): Promise<number> {
  await asAnn("GET", "/api/v1/account/");
  return newActivity(s, ann);
}

interface Registered {
  activity: number;
  id: number;
  path: string;
}

/** A webhook of a new activity. */
async function register(webhook_url: string, more: Record<string, unknown> = {}): Promise<Registered> {
  const activity = await activityOfAnn();
  const path = `/api/v1/activities/${activity}/webhooks/`;
  const { status, body } = await asAnn("POST", path, {
    webhook_url,
    secret_token: SECRET,
    activity_events: true,
    timeframes_events: true,
    ...more,
  });
  expect([status, body]).toEqual([200, expect.anything()]);
  return { activity, id: body.id, path: `${path}${body.id}/` };
}

let expiresMs = 0;

/** The clock moves beyond the life of tokens; this asks with one that is valid. */
async function asAnn(method: string, path: string, json?: unknown) {
  const nowMs = s.clock.now().getTime();
  if (nowMs >= expiresMs) {
    ann.token = await s.logIn(ann.username, ann.password);
    expiresMs = nowMs + 9 * HOUR_MS;
  }
  return s.send(method, path, { token: ann.token, json });
}

const deliveries = async ({ path }: Registered) =>
  (await asAnn("GET", `${path}deliveries/?limit=3000`)).body.results;

const states = async (webhook: Registered) =>
  (await deliveries(webhook)).map(({ state }: { state: string }) => state);

const row = async ({ id }: Registered) => {
  const [found] = await s.store.database.queries.select().from(webhooks).where(eq(webhooks.id, id));
  return found;
};

const advance = async (ms: number) => {
  s.clock.advance(ms);
  await s.runJobs();
};

describe("what a receiver gets", () => {
  it("each event of the flags chosen, with ids only, the token and a signature", async () => {
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
      const age = s.clock.now().getTime() / 1000 - Number(call.headers["webhook-timestamp"]);
      expect(age).toBeGreaterThanOrEqual(0);
      expect(age).toBeLessThan(5);
    }
    expect(first.headers["webhook-id"]).not.toBe(second.headers["webhook-id"]);
    expect(await states(webhook)).toEqual(["delivered", "delivered"]);
  });

  it.each([
    [{ activity_events: true, timeframes_events: false }, ["activity-deleted", "activity-updated"]],
    [
      { activity_events: false, timeframes_events: true },
      ["timeframe-created", "timeframe-deleted", "timeframe-updated"],
    ],
    [{ activity_events: false, timeframes_events: false }, []],
  ])("%o: %j", async (flags, expected) => {
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
  });

  it("each change of an activity and its time frames, the deletion too, though the webhook goes with it", async () => {
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
    // A change that is refused is none.
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

  it("nothing of a change that was rolled back", async () => {
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

  it("events from before, though the webhook is changed since, to where it was then", async () => {
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

  it("nothing more once the webhook is deleted", async () => {
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

  it("one call for equal events that wait, and another for what happens after it was begun", async () => {
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
      // While the call is under way, the activity changes again.
      emit(s, "activity-updated", webhook.activity).then(() => response.writeHead(204).end());
    };
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(hook.received).toHaveLength(5);
  });

  it("one call for each webhook and time frame of an activity that is deleted, however many", async () => {
    const hook = await receiver();
    const team = await Team.of(s);
    const { token } = team.manager;
    const path = `/api/v1/activities/${team.activity}/`;
    const flags = { activity_events: true, timeframes_events: true };
    for (let index = 0; index < 25; index += 1) {
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
    expect(new Set(calls).size).toBe(25 * 11);
    expect(calls).toHaveLength(25 * 11);
  });

  it("what its owner's quota has room for; a failed delivery tells of the rest", async () => {
    const hook = await receiver();
    const few = await TestService.start(s.store, { ...settings, webhookMaxPending: 3 }, lookup);
    const webhook = await register(hook.url);
    for (let frame = 1; frame <= 5; frame += 1) await emit(few, "timeframe-created", webhook.activity, frame);
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
      "failed",
    ]);
    expect(found[3].response).toContain("3 deliveries of the account are already waiting");
  });
});

describe("a receiver that fails", () => {
  it("is tried seven times on the schedule, with the same id and body and a new timestamp, then given up", async () => {
    const hook = await receiver();
    hook.behaviour = answer(500, "out of order");
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    for (const [index, delayMs] of SCHEDULE_MS.entries()) {
      expect(hook.received).toHaveLength(index + 1);
      const [waiting] = await deliveries(webhook);
      expect(waiting).toMatchObject({
        state: "retrying",
        attempts: index + 1,
        response_status: 500,
        response: "out of order",
      });
      const waitMs = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.last_attempt_at);
      expect(waitMs).toBeGreaterThanOrEqual(delayMs);
      expect(waitMs).toBeLessThanOrEqual(delayMs * 1.1);
      // Half the wait is not enough.
      await advance(delayMs / 2);
      expect(hook.received).toHaveLength(index + 1);
      await advance(delayMs * 0.7);
    }
    await advance(48 * HOUR_MS);
    expect(hook.received).toHaveLength(7);
    expect(await deliveries(webhook)).toMatchObject([
      { state: "failed", attempts: 7, next_attempt_at: null },
    ]);
    const [first] = hook.received;
    expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(hook.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(7);
    expect(hook.received.every((call) => call.body === first?.body && isSigned(call, SECRET))).toBe(true);
  });

  it("gets the event once it works again", async () => {
    const hook = await receiver();
    hook.behaviour = answer(502);
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    hook.behaviour = answer(201, "thanks\0");
    await advance(6 * SECOND_MS);
    expect(await deliveries(webhook)).toMatchObject([
      {
        state: "delivered",
        attempts: 2,
        response_status: 201,
        response: "thanks\ufffd",
        next_attempt_at: null,
      },
    ]);
    await advance(HOUR_MS);
    expect(hook.received).toHaveLength(2);
  });

  it.each([
    [429, "600", 600 * SECOND_MS],
    [503, "7200", 2 * HOUR_MS],
    [503, String(72 * 3600), 24 * HOUR_MS],
    [500, "600", 5 * SECOND_MS],
    [503, "1", 5 * SECOND_MS],
  ])("%i with Retry-After: %s is left alone for %i ms", async (status, seconds, waitMs) => {
    const hook = await receiver();
    hook.behaviour = answer(status, "", { "Retry-After": seconds });
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    const [{ next_attempt_at, last_attempt_at }] = await deliveries(webhook);
    const planned = Date.parse(next_attempt_at) - Date.parse(last_attempt_at);
    expect(planned).toBeGreaterThanOrEqual(waitMs);
    expect(planned).toBeLessThanOrEqual(waitMs * 1.1);
  });

  it.each([301, 302, 303, 307, 308])("%i is a failure and never followed", async (status) => {
    const [hook, target] = [await receiver(), await receiver()];
    hook.behaviour = answer(status, "", { Location: target.url });
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(await deliveries(webhook)).toMatchObject([{ state: "retrying", response_status: status }]);
    expect(target.connections).toBe(0);
  });

  it("is given 15 s in all and 5 s to connect, of which tests take less", async () => {
    expect(readConfig({})).toMatchObject({ webhookTimeoutMs: 15_000, webhookConnectTimeoutMs: 5_000 });
    const silent = await receiver();
    silent.behaviour = () => undefined;
    const dripping = await receiver();
    dripping.behaviour = (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("."), 50);
      response.on("close", () => clearInterval(drip));
    };
    const hooks = [await register(silent.url), await register(dripping.url)];
    for (const { activity } of hooks) await emit(s, "activity-updated", activity);
    const startedAt = performance.now();
    await s.runJobs();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    for (const webhook of hooks) {
      expect(await deliveries(webhook)).toMatchObject([
        { state: "retrying", response_status: null, response: "No complete response within 0.4 s." },
      ]);
    }
  });

  it("killed in the middle of its answer gets the event again", async () => {
    const hook = await receiver();
    hook.behaviour = (response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("half", () => response.socket?.destroy());
    };
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(await states(webhook)).toEqual(["retrying"]);
    hook.behaviour = answer(200);
    await advance(6 * SECOND_MS);
    expect([await states(webhook), hook.received.length]).toEqual([["delivered"], 2]);
  });

  it("not there at all gets the event when it is", async () => {
    const gone = await startReceiver();
    await gone.stop();
    const webhook = await register(gone.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    const [{ state, response_status, response }] = await deliveries(webhook);
    expect([state, response_status]).toEqual(["retrying", null]);
    expect(response).toContain("ECONNREFUSED");
    const back = await startReceiver(gone.port);
    receivers.push(back);
    await advance(6 * SECOND_MS);
    expect([await states(webhook), back.received.length]).toEqual([["delivered"], 1]);
  });

  it("that answers without end is read for 64 KiB, and 1 KiB is kept", async () => {
    const hook = await receiver();
    let writtenBytes = 0;
    hook.behaviour = (response) => {
      response.writeHead(200, { "Content-Type": "text/plain" });
      const chunk = Buffer.alloc(16 * 1024, "é");
      const pour = () => {
        while (!response.destroyed && response.write(chunk)) writtenBytes += chunk.length;
      };
      response.on("drain", pour);
      pour();
    };
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    const [delivery] = await deliveries(webhook);
    expect(delivery).toMatchObject({ state: "delivered", response_status: 200 });
    expect(delivery.response).toBe("é".repeat(512));
    // What the system's buffers took besides.
    expect(writtenBytes).toBeLessThan(16 * 1024 * 1024);
  });
});

describe("a webhook is disabled", () => {
  it("by 410, at once; an update enables it again", async () => {
    const hook = await receiver();
    hook.behaviour = answer(410);
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(await deliveries(webhook)).toMatchObject([{ state: "failed", attempts: 1, response_status: 410 }]);
    expect((await row(webhook))?.disabledAt).not.toBeNull();
    const audits = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "webhook"), eq(auditLog.entityId, webhook.id)));
    expect(audits.filter(({ operation }) => operation === "deliver webhook")).toHaveLength(1);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(hook.received).toHaveLength(1);
    hook.behaviour = answer(200);
    expect((await asAnn("PATCH", webhook.path, {})).status).toBe(200);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(await states(webhook)).toEqual(["failed", "delivered"]);
  });

  it("with what is still to be sent to it", async () => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    for (let frame = 1; frame <= 30; frame += 1) await emit(s, "timeframe-created", webhook.activity, frame);
    hook.behaviour = answer(410);
    await s.runJobs();
    // Those that were under way when the first one came back.
    expect(hook.received.length).toBeLessThanOrEqual(2 * s.config.webhookConcurrencyPerHost);
    const called = hook.received.length;
    expect((await asAnn("PATCH", webhook.path, {})).status).toBe(200);
    hook.behaviour = answer(204);
    await advance(HOUR_MS);
    expect(hook.received).toHaveLength(called);
    expect(new Set(await states(webhook))).toEqual(new Set(["failed"]));
  });

  it("not by what an earlier URL answered", async () => {
    const [old, fresh] = [await receiver(), await receiver()];
    old.behaviour = answer(410);
    const webhook = await register(old.url);
    await emit(s, "activity-updated", webhook.activity);
    await asAnn("PATCH", webhook.path, { webhook_url: fresh.url });
    await s.runJobs();
    expect((await row(webhook))?.disabledAt).toBeNull();
  });

  it("by 20 exhausted deliveries one after the other, not by 19", async () => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    const exhaust = async (count: number) => {
      hook.behaviour = answer(500);
      for (let index = 0; index < count; index += 1) {
        await emit(s, "timeframe-created", webhook.activity, index);
      }
      for (const delayMs of [0, ...SCHEDULE_MS]) await advance(delayMs * 1.2);
    };
    await exhaust(19);
    expect(await row(webhook)).toMatchObject({ failures: 19, disabledAt: null });
    hook.behaviour = answer(200);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect((await row(webhook))?.failures).toBe(0);
    await exhaust(19);
    expect((await row(webhook))?.disabledAt).toBeNull();
    await exhaust(1);
    expect((await row(webhook))?.disabledAt).not.toBeNull();
    expect((await asAnn("PATCH", webhook.path, {})).status).toBe(200);
    expect(await row(webhook)).toMatchObject({ failures: 0, disabledAt: null });
  });
});

describe("addresses are checked at every delivery", () => {
  it("a name that has come to resolve to a private address is not called", async () => {
    const hook = await receiver();
    const found: Record<string, string[]> = { "rebound.example": ["93.184.215.14"] };
    const askedFor = new Set<number | undefined>();
    const strict = await TestService.start(
      s.store,
      { ...settings, webhookAllowPrivate: false },
      async (name, options) => {
        askedFor.add(options?.account);
        return found[name] ?? [];
      },
    );
    const activity = await activityOfAnn();
    const path = `/api/v1/activities/${activity}/webhooks/`;
    const token = await strict.logIn(ann.username, ann.password);
    const { status, body } = await strict.post(
      path,
      {
        webhook_url: `http://rebound.example:${hook.port}/`,
        secret_token: SECRET,
        activity_events: true,
        timeframes_events: true,
      },
      token,
    );
    expect(status).toBe(200);
    for (const addresses of [["127.0.0.1"], ["93.184.215.14", "::ffff:127.0.0.1"], ["0.0.0.0"]]) {
      found["rebound.example"] = addresses;
      strict.clock.advance(SECOND_MS);
      await strict.post(`${path}${body.id}/test/`, undefined, token);
      await strict.runJobs();
    }
    const { results } = (await strict.get(`${path}${body.id}/deliveries/`, token)).body;
    await strict.stop();
    expect(results).toHaveLength(3);
    for (const { state, response } of results) {
      expect([state, response]).toEqual(["failed", "The host has no public address."]);
    }
    expect(hook.connections).toBe(0);
    // Names that one account asks for are waited for by that account alone.
    expect([...askedFor]).toEqual([ann.id]);
  });

  it("a private literal that was stored in development is not called in production", async () => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    const strict = await TestService.start(s.store, { ...settings, webhookAllowPrivate: false }, lookup);
    strict.clock.advance(s.clock.now().getTime() - strict.clock.now().getTime());
    await strict.runJobs();
    await strict.stop();
    expect(await deliveries(webhook)).toMatchObject([{ state: "retrying", response_status: null }]);
    expect(hook.connections).toBe(0);
  });

  it("only the addresses that were checked are connected to", async () => {
    const hook = await receiver();
    const webhook = await register(`http://receiver.example:${hook.port}/`);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect([await states(webhook), hook.received.length]).toEqual([["delivered"], 1]);
    expect(hook.received[0]?.headers.host).toBe(`receiver.example:${hook.port}`);
  });
});

describe("row X4: by hand", () => {
  it("row X4: sends again with the same id, to the webhook as it is now", async () => {
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
    // The attempt that was planned before does not come on top.
    await advance(24 * HOUR_MS);
    expect([old.received.length, fresh.received.length]).toEqual([1, 1]);
    await asAnn("POST", `${webhook.path}deliveries/${id}/resend/`);
    await s.runJobs();
    expect(fresh.received).toHaveLength(2);
  });

  it("row X4: a test call is made once and does not count", async () => {
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

describe("many receivers", () => {
  it("a slow one holds up no other, and gets no more than its share of calls at once", async () => {
    const [slow, fast] = [await receiver(), await receiver()];
    let atOnce = 0;
    let most = 0;
    slow.behaviour = (response) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      response.on("close", () => {
        atOnce -= 1;
      });
    };
    const [slowHook, fastHook] = [await register(slow.url), await register(fast.url)];
    // All of the slow one's events are older.
    for (const { activity } of [slowHook, fastHook]) {
      for (let frame = 1; frame <= 40; frame += 1) await emit(s, "timeframe-created", activity, frame);
    }
    const done = s.runJobs();
    await expect.poll(() => fast.received.length, { timeout: 3_000 }).toBe(40);
    expect(slow.received.length).toBeLessThan(40);
    await done;
    expect(slow.received.length).toBe(40);
    expect(most).toBeLessThanOrEqual(s.config.webhookConcurrencyPerHost);
    expect(most).toBeGreaterThan(1);
  });

  it("one account's many slow receivers leave hands for another account", async () => {
    const bob = await s.manager();
    const hands = s.config.webhookConcurrency;
    const slow = await Promise.all(Array.from({ length: hands + 8 }, () => receiver()));
    for (const hook of slow) hook.behaviour = () => undefined;
    const fast = await receiver();
    const patient = await TestService.start(s.store, { ...settings, webhookTimeoutMs: 5_000 }, lookup);
    patient.clock.advance(s.clock.now().getTime() - patient.clock.now().getTime());
    for (const hook of slow) await emit(s, "activity-updated", (await register(hook.url)).activity);
    const done = patient.runJobs();
    const taken = () => slow.filter(({ received }) => received.length > 0).length;
    await expect.poll(taken, { timeout: 10_000 }).toBe(hands / 2);
    bob.token = await s.logIn(bob.username, bob.password);
    const activity = await newActivity(s, bob);
    const hook = {
      webhook_url: fast.url,
      secret_token: SECRET,
      activity_events: true,
      timeframes_events: true,
    };
    await s.post(`/api/v1/activities/${activity}/webhooks/`, hook, bob.token);
    await emit(s, "activity-updated", activity);
    patient.service.worker.wake();
    await expect.poll(() => fast.received.length, { timeout: 3_000 }).toBe(1);
    expect(taken()).toBe(hands / 2);
    for (const hook of slow) hook.behaviour = answer(204);
    await Promise.all(slow.map((hook) => hook.stop()));
    await done;
    await patient.stop();
  });

  it("a worker that dies in the middle loses nothing, however often", async () => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    const queries = s.store.database.queries;
    // What a killed worker leaves: a lease that ends, and an attempt of which nothing is known.
    await queries
      .update(jobs)
      .set({ state: "STARTED", leaseToken: "dead", leaseUntil: sql`clock_timestamp()`, losses: 6 })
      .where(and(eq(jobs.kind, "webhook"), eq(jobs.state, "PENDING")));
    await s.runJobs();
    expect(await states(webhook)).toEqual(["delivered"]);
  });
});
