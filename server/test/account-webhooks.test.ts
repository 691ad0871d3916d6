/** Tests account webhooks with the reference library of Standard Webhooks 1.0. */
import { eq, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { emitAccountEvents } from "../src/domain/webhooks/account-events.js";
import { applyRetention } from "../src/jobs/retention.js";
import { previousWebhookSecrets } from "../src/store/schema.js";
import {
  deliveriesOf,
  messagesOf,
  newHook,
  pathOf,
  rotated,
  START,
  verifying,
} from "./account-webhook-scene.js";
import { answer } from "./receiver.js";
import { walk } from "./recordings.js";
import { HOUR_MS, MINUTE_MS, receiver, SCHEDULE_MS, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

describe("a webhook of an account", () => {
  it("receives an event repeatedly until it accepts it, and again on request", async ({
    hooks: { s, advance },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    receiving.behaviour = answer(503);
    const hook = await newHook(s, ann.token, receiving.url, "samples.stored");
    const device = await s.longOwned(ann);
    await s.load(device, ann, await walk(device.serial_number, START, 10));
    await s.runJobs();
    receiving.behaviour = answer(204);
    await advance((SCHEDULE_MS[0] ?? 0) + MINUTE_MS);
    hook.token = await s.logIn(ann.username, ann.password);
    const [delivery] = await deliveriesOf(s, hook);
    expect([delivery?.state, delivery?.attempts]).toEqual(["delivered", 2]);
    const again = await s.post(`${pathOf(hook)}deliveries/${delivery?.id}/resend/`, undefined, hook.token);
    expect([again.status, again.body.state]).toEqual([200, "pending"]);
    await s.runJobs();
    const [first, second, third] = receiving.received;
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body]);
    expect(third?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  it("can be tested, changed and deleted only by its manager, and is disabled by a 410", async ({
    hooks: { s },
  }) => {
    const [ann, bob] = [await s.manager(), await s.manager()];
    const receiving = await receiver();
    const hook = await newHook(s, ann.token, receiving.url, "samples.stored");
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["GET", "deliveries/"],
      ["POST", "test/"],
      ["POST", "secret/"],
    ] as const) {
      const { status } = await s.send(method, `${pathOf(hook)}${path}`, {
        token: bob.token,
        ...(method === "PATCH" ? { json: {} } : {}),
      });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
    receiving.behaviour = answer(410);
    await s.post(`${pathOf(hook)}test/`, undefined, ann.token);
    await s.runJobs();
    expect(messagesOf(receiving.received)).toEqual([
      { type: "webhook.test", timestamp: expect.any(String), data: { webhook: hook.id } },
    ]);
    expect((await s.get(pathOf(hook), ann.token)).body.disabled_at).not.toBeNull();
    const changed = await s.send("PATCH", pathOf(hook), {
      token: ann.token,
      json: { events: ["job.finished"] },
    });
    expect([changed.body.events, changed.body.disabled_at]).toEqual([["job.finished"], null]);
    expect((await s.send("DELETE", pathOf(hook), { token: ann.token })).status).toBe(204);
    expect((await s.get("/api/v2/webhooks/", ann.token)).body.results).toEqual([]);
  });

  it("signs calls, including earlier ones, with its new and its replaced secret for 24 hours, and then only with the new one", async ({
    hooks: { s, advance },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    receiving.behaviour = answer(503);
    const hook = await newHook(s, ann.token, receiving.url, "session.changed");
    await transact(s.ctx, "test", (unit) =>
      emitAccountEvents(unit, ann.id, "session.changed", [{ session: 1 }]),
    );
    await s.runJobs();
    receiving.behaviour = answer(204);
    const nowMs = s.clock.now().getTime();
    const { secret, previous_valid_until } = await rotated(s, hook);
    expect(Date.parse(previous_valid_until) - nowMs).toBe(24 * HOUR_MS);
    await advance((SCHEDULE_MS[0] ?? 0) + MINUTE_MS);
    const [before, during] = receiving.received.splice(0);
    expect(verifying(before, [hook.secret, secret])).toEqual([true, false]);
    expect(verifying(during, [hook.secret, secret])).toEqual([true, true]);
    expect(String(during?.headers["webhook-signature"]).split(" ")).toHaveLength(2);

    await advance(24 * HOUR_MS - MINUTE_MS);
    hook.token = await s.logIn(ann.username, ann.password);
    await s.post(`${pathOf(hook)}test/`, undefined, hook.token);
    await s.runJobs();
    expect(verifying(receiving.received[0], [hook.secret, secret])).toEqual([false, true]);
    await applyRetention(s.ctx, { vacuums: false });
    const left = eq(previousWebhookSecrets.webhookId, hook.id);
    expect(await s.store.database.queries.$count(previousWebhookSecrets, left)).toBe(0);
  });

  it("signs with the 3 newest replaced secrets, even after concurrent rotations, and neither stores nor logs a secret in clear text", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    const hook = await newHook(s, ann.token, receiving.url, "job.finished");
    const secrets = [hook.secret];
    for (let i = 0; i < 4; i++) secrets.push((await rotated(s, hook)).secret);
    await s.post(`${pathOf(hook)}test/`, undefined, hook.token);
    await s.runJobs();
    expect(verifying(receiving.received.pop(), secrets)).toEqual([false, true, true, true, true]);

    secrets.push(...(await Promise.all([1, 2, 3].map(() => rotated(s, hook)))).map(({ secret }) => secret));
    await s.post(`${pathOf(hook)}test/`, undefined, hook.token);
    await s.runJobs();
    expect(verifying(receiving.received.pop(), secrets.slice(-4))).toEqual([true, true, true, true]);
    const { rows } = await s.store.database.queries.execute<{ text: string }>(sql`
      SELECT row_to_json(t)::text AS text FROM previous_webhook_secrets AS t
      UNION ALL SELECT row_to_json(t)::text FROM webhooks AS t
      UNION ALL SELECT row_to_json(t)::text FROM idempotency_keys AS t
      UNION ALL SELECT row_to_json(t)::text FROM audit_log AS t WHERE operation = 'rotateAccountWebhookSecret'`);
    const texts = rows.map(({ text }) => text).join("\n");
    expect(texts).toContain("rotateAccountWebhookSecret");
    expect(secrets.filter((secret) => texts.includes(secret.slice("whsec_".length)))).toEqual([]);
  });

  it("is called and signed with its secret even if a replaced secret cannot be decrypted", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    const hook = await newHook(s, ann.token, receiving.url, "job.finished");
    const { secret } = await rotated(s, hook);
    await s.store.database.queries
      .update(previousWebhookSecrets)
      .set({ secretToken: sql`left(${previousWebhookSecrets.secretToken}, -4) || 'AAAA'` });
    await s.post(`${pathOf(hook)}test/`, undefined, hook.token);
    await s.runJobs();
    expect(verifying(receiving.received[0], [hook.secret, secret])).toEqual([false, true]);
  });

  it("is refused if an event is unknown, the address is invalid, or the account has reached its limit", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const create = (json: object) => s.post("/api/v2/webhooks/", json, ann.token);
    const url = "http://127.0.0.1:9/";
    for (const [json, field] of [
      [{ url, events: ["activity-updated"] }, "events.0"],
      [{ url, events: [] }, "events"],
      [{ url: "ftp://127.0.0.1/", events: ["job.finished"] }, "url"],
      [{ url, events: ["job.finished"], secret: "mine" }, "secret"],
    ] as const) {
      const { status, body } = await create(json);
      expect([status, body.errors[0].field]).toEqual([400, field]);
    }
    // The requests are concurrent, so none of them counts the webhooks that the others create.
    const created = await Promise.all(
      Array.from({ length: 25 }, () => create({ url, events: ["job.finished"] })),
    );
    expect(created.map(({ status }) => status).sort()).toEqual([
      ...Array(20).fill(201),
      ...Array(5).fill(409),
    ]);
  });
});
