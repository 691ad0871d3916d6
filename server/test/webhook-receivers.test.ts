/** Tests which receivers are allowed, and the limits on concurrent calls. */
import { and, eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { jobs } from "../src/store/schema.js";
import { ENDED } from "./ended-lease.js";
import { emit } from "./events.js";
import { answer } from "./receiver.js";
import { TestService } from "./service.js";
import { newActivity } from "./team.js";
import { NAMES, receiver, SECOND_MS, SECRET, settings, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

describe("addresses are checked at every delivery", () => {
  it("a name that now resolves to a private address is not called", async ({
    hooks: { s, activityOfAnn, ann },
  }) => {
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
    // A lookup uses only the queue of the account that requested it.
    expect([...askedFor]).toEqual([ann.id]);
  });

  it("a link-local address, or a name that resolves to one, is refused even if private addresses are allowed", async ({
    hooks: { s, activityOfAnn, ann },
  }) => {
    const activity = await activityOfAnn();
    const path = `/api/v1/activities/${activity}/webhooks/`;
    const body = { secret_token: SECRET, activity_events: true, timeframes_events: true };
    const NEVER = "Link-local and cloud metadata addresses are never called.";
    const literals = ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "[::169.254.169.254]"];
    for (const host of [...literals, "0xa9fea9fe"]) {
      const refused = await s.post(path, { ...body, webhook_url: `http://${host}/latest/` }, ann.token);
      expect([refused.status, refused.body]).toEqual([400, { webhook_url: [NEVER] }]);
    }
    const hook = await receiver();
    NAMES["metadata.example"] = ["127.0.0.1", "169.254.169.254"];
    const { status, body: made } = await s.post(
      path,
      { ...body, webhook_url: `http://metadata.example:${hook.port}/` },
      ann.token,
    );
    expect(status).toBe(200);
    await s.post(`${path}${made.id}/test/`, undefined, ann.token);
    await s.runJobs();
    const log = await s.get(`${path}${made.id}/deliveries/`, ann.token);
    expect(log.body.results).toMatchObject([{ state: "failed", response_status: null, response: NEVER }]);
    expect(hook.connections).toBe(0);
  });

  it("the reason for a failure has at most 1 KiB, for any response of the receiver", async ({
    hooks: { s, activityOfAnn, ann },
  }) => {
    const path = `/api/v1/activities/${await activityOfAnn()}/webhooks/`;
    NAMES["wordy.example"] = ["127.0.0.1"];
    const body = { secret_token: SECRET, activity_events: true, timeframes_events: true };
    const { body: made } = await s.post(path, { ...body, webhook_url: "http://wordy.example:9/" }, ann.token);
    NAMES["wordy.example"] = new Error("é".repeat(50_000));
    await s.post(`${path}${made.id}/test/`, undefined, ann.token);
    await s.runJobs();
    const { body: log } = await s.get(`${path}${made.id}/deliveries/`, ann.token);
    expect(log.results[0].response).toBe("é".repeat(512));
  });

  it("a private address that was stored in development is not called in production", async ({
    hooks: { s, register, deliveries, startAnother },
  }) => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    const strict = await startAnother({ webhookAllowPrivate: false });
    await strict.runJobs();
    await strict.stop();
    expect(await deliveries(webhook)).toMatchObject([{ state: "retrying", response_status: null }]);
    expect(hook.connections).toBe(0);
  });

  it("connections are made only to the checked addresses", async ({ hooks: { s, register, states } }) => {
    const hook = await receiver();
    const webhook = await register(`http://receiver.example:${hook.port}/`);
    await emit(s, "activity-updated", webhook.activity);
    await s.runJobs();
    expect([await states(webhook), hook.received.length]).toEqual([["delivered"], 1]);
    expect(hook.received[0]?.headers.host).toBe(`receiver.example:${hook.port}`);
  });
});

describe("many receivers", () => {
  it("a slow receiver does not delay others, and uses only its share of concurrent calls", async ({
    hooks: { s, register },
  }) => {
    const [slow, fast] = [await receiver(), await receiver()];
    let atOnce = 0;
    let most = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    slow.behaviour = (response) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      response.on("close", () => {
        atOnce -= 1;
      });
      released.then(() => response.writeHead(204).end());
    };
    const [slowHook, fastHook] = [await register(slow.url), await register(fast.url)];
    // All events for the slow receiver are older.
    for (const { activity } of [slowHook, fastHook]) {
      for (let frame = 1; frame <= 40; frame += 1) await emit(s, "timeframe-created", activity, frame);
    }
    const done = s.runJobs();
    await expect.poll(() => fast.received.length).toBe(40);
    expect(slow.received.length).toBeLessThanOrEqual(s.config.webhookConcurrencyPerHost);
    release();
    await done;
    expect(slow.received).toHaveLength(40);
    expect(most).toBeLessThanOrEqual(s.config.webhookConcurrencyPerHost);
    expect(most).toBeGreaterThan(1);
  });

  it("many slow receivers of one account leave slots for another account", async ({
    hooks: { s, register, startAnother },
  }) => {
    const bob = await s.manager();
    const hands = s.config.webhookConcurrency;
    const slow = await Promise.all(Array.from({ length: hands + 8 }, () => receiver()));
    for (const hook of slow) hook.behaviour = () => undefined;
    const fast = await receiver();
    const patient = await startAnother({});
    for (const hook of slow) await emit(s, "activity-updated", (await register(hook.url)).activity);
    const done = patient.runJobs();
    const taken = () => slow.filter(({ received }) => received.length > 0).length;
    await expect.poll(taken).toBe(hands / 2);
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
    await expect.poll(() => fast.received.length).toBe(1);
    expect(taken()).toBe(hands / 2);
    for (const hook of slow) hook.behaviour = answer(204);
    await Promise.all(slow.map((hook) => hook.stop()));
    await done;
    await patient.stop();
  });

  it("loses no delivery if a worker dies during it", async ({ hooks: { s, register, states } }) => {
    const hook = await receiver();
    const webhook = await register(hook.url);
    await emit(s, "activity-updated", webhook.activity);
    const queries = s.store.database.queries;
    // Set the row as it is after a worker was killed, with an expired lease and an attempt without a result.
    await queries
      .update(jobs)
      .set({
        state: "STARTED",
        leaseToken: "dead",
        leaseUntil: ENDED,
        losses: 6,
      })
      .where(and(eq(jobs.kind, "webhook"), eq(jobs.state, "PENDING")));
    await s.runJobs();
    expect(await states(webhook)).toEqual(["delivered"]);
  });
});
