/** Tests retries of calls to failing receivers, their schedule, and the disabling of webhooks. */
import { and, eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { readConfig } from "../src/config/config.js";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { auditLog } from "../src/store/schema.js";
import { emit } from "./events.js";
import { answer, isSigned, startReceiver } from "./receiver.js";
import { HOUR_MS, receiver, SCHEDULE_MS, SECOND_MS, SECRET, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

describe("a receiver that fails", () => {
  it("gets seven attempts on the schedule, with the same id and body and a new timestamp", async ({
    hooks: { s, register, deliveries, advance },
  }) => {
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
        response: "Not kept: the receiver has a private address.",
      });
      const waitMs = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.last_attempt_at);
      expect(waitMs).toBeGreaterThanOrEqual(delayMs);
      expect(waitMs).toBeLessThanOrEqual(delayMs * 1.1);
      // No call is made after half of the delay.
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

  it("gets the event when it works again", async ({ hooks: { s, register, advance, deliveries } }) => {
    const hook = await receiver();
    hook.behaviour = answer(502);
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    hook.behaviour = answer(201, "thanks");
    await advance(6 * SECOND_MS);
    expect(await deliveries(webhook)).toMatchObject([
      {
        state: "delivered",
        attempts: 2,
        response_status: 201,
        response: "Not kept: the receiver has a private address.",
        next_attempt_at: null,
      },
    ]);
    await advance(HOUR_MS);
    expect(hook.received).toHaveLength(2);
  });

  it.for([
    [429, "600", 600 * SECOND_MS],
    [503, "7200", 2 * HOUR_MS],
    [503, String(72 * 3600), 24 * HOUR_MS],
    [500, "600", 5 * SECOND_MS],
    [503, "1", 5 * SECOND_MS],
  ] as const)(
    "%i with Retry-After: %s gets no call for %i ms",
    async ([status, seconds, waitMs], { hooks: { s, register, deliveries } }) => {
      const hook = await receiver();
      hook.behaviour = answer(status, "", { "Retry-After": seconds });
      const webhook = await register(hook.url);
      await emit(s, "activity-updated", webhook.activity);
      await s.runJobs();
      const [{ next_attempt_at, last_attempt_at }] = await deliveries(webhook);
      const planned = Date.parse(next_attempt_at) - Date.parse(last_attempt_at);
      expect(planned).toBeGreaterThanOrEqual(waitMs);
      expect(planned).toBeLessThanOrEqual(waitMs * 1.1);
    },
  );

  it.for([301, 302, 303, 307, 308])(
    "cannot redirect a call to another URL: %i is a failure",
    async (status, { hooks: { s, register, deliveries } }) => {
      const [hook, target] = [await receiver(), await receiver()];
      hook.behaviour = answer(status, "", { Location: target.url });
      const webhook = await register(hook.url);
      await emit(s, "activity-updated", webhook.activity);
      await s.runJobs();
      expect(await deliveries(webhook)).toMatchObject([{ state: "retrying", response_status: status }]);
      expect(target.connections).toBe(0);
    },
  );

  it("gets 15 s in total and 5 s to connect; the tests use shorter times", async ({
    hooks: { s, register, deliveries, startAnother },
  }) => {
    const impatient = await startAnother({ webhookTimeoutMs: 400, webhookConnectTimeoutMs: 200 });
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
    // Neither response ends, so the jobs would not end without the time limit.
    await impatient.runJobs();
    for (const webhook of hooks) {
      expect(await deliveries(webhook)).toMatchObject([
        { state: "retrying", response_status: null, response: "No complete response within 0.4 s." },
      ]);
    }
  });

  it("gets the event again if it is killed during its response", async ({
    hooks: { s, register, states, advance },
  }) => {
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

  it("gets the event when it becomes reachable", async ({
    hooks: { s, register, deliveries, advance, states },
  }) => {
    // Use a port that the system does not assign to another connection in the meantime.
    const gone = await startReceiver(await freePort());
    await gone.stop();
    const webhook = await register(gone.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    const [{ state, response_status, response }] = await deliveries(webhook);
    expect([state, response_status]).toEqual(["retrying", null]);
    expect(response).toContain("ECONNREFUSED");
    const back = await receiver(gone.port);
    await advance(6 * SECOND_MS);
    expect([await states(webhook), back.received.length]).toEqual([["delivered"], 1]);
  });

  it("is read up to 64 KiB if its response does not end", async ({ hooks: { s, register, deliveries } }) => {
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
    // The limit does not include the data in the buffers of the system.
    expect(writtenBytes).toBeLessThan(16 * 1024 * 1024);
  });
});

describe("a webhook is disabled", () => {
  it("immediately after a 410; an update enables it again", async ({
    hooks: { s, register, deliveries, row, asAnn, states },
  }) => {
    const hook = await receiver();
    hook.behaviour = answer(410);
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(await deliveries(webhook)).toMatchObject([{ state: "failed", attempts: 1, response_status: 410 }]);
    expect((await row(webhook))?.disabledAt).not.toBeNull();
    const shown = await asAnn("GET", webhook.path);
    expect(shown.body.disabled_at).toBe((await row(webhook))?.disabledAt?.toISOString());
    const audits = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "webhook"), eq(auditLog.entityId, webhook.id)));
    expect(audits.filter(({ operation }) => operation === "deliver webhook")).toHaveLength(1);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(hook.received).toHaveLength(1);
    hook.behaviour = answer(200);
    const enabled = await asAnn("PATCH", webhook.path, {});
    expect([enabled.status, enabled.body.disabled_at]).toEqual([200, null]);
    // The tag differs from the tag before the webhook was disabled, because copies from that time are outdated.
    expect(enabled.headers.get("etag")).not.toBe(shown.headers.get("etag"));
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect(await states(webhook)).toEqual(["failed", "delivered"]);
  });

  it("with its waiting deliveries", async ({ hooks: { s, register, asAnn, advance, states } }) => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    for (let frame = 1; frame <= 30; frame += 1) await emit(s, "timeframe-created", webhook.activity, frame);
    hook.behaviour = answer(410);
    await s.runJobs();
    // Only calls that were in progress when the first one returned can follow.
    expect(hook.received.length).toBeLessThanOrEqual(2 * s.config.webhookConcurrencyPerHost);
    const called = hook.received.length;
    expect((await asAnn("PATCH", webhook.path, {})).status).toBe(200);
    hook.behaviour = answer(204);
    await advance(HOUR_MS);
    expect(hook.received).toHaveLength(called);
    expect(new Set(await states(webhook))).toEqual(new Set(["failed"]));
  });

  it("only by responses of its current URL", async ({ hooks: { s, register, asAnn, row } }) => {
    const [old, fresh] = [await receiver(), await receiver()];
    old.behaviour = answer(410);
    const webhook = await register(old.url);
    await emit(s, "activity-updated", webhook.activity);
    await asAnn("PATCH", webhook.path, { webhook_url: fresh.url, secret_token: "another" });
    await s.runJobs();
    expect((await row(webhook))?.disabledAt).toBeNull();
  });

  it("after 20 consecutive failed deliveries, but not after 19", async ({
    hooks: { s, register, advance, row, asAnn },
  }) => {
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
