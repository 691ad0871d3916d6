/** Webhooks of an account: Standard Webhooks 1.0 as its library verifies it, for stored samples, ended jobs and changed sessions. */
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { describe, expect, vi } from "vitest";
import { transact } from "../src/domain/change/change.js";
import type { UnitOfWork } from "../src/domain/change/unit-of-work.js";
import { emitAccountEvents } from "../src/domain/webhooks/account-events.js";
import { emitChangedSessions } from "../src/domain/webhooks/session-events.js";
import { applyRetention } from "../src/jobs/retention.js";
import type { Queries } from "../src/store/connection/database.js";
import { jobs, ownerships, previousWebhookSecrets } from "../src/store/schema.js";
import { answer, type Received } from "./receiver.js";
import { walk } from "./recordings.js";
import type { TestService } from "./service.js";
import { minute, SquadScene, type TestPlayer } from "./squad-scene.js";
import { HOUR_MS, MINUTE_MS, receiver, SCHEDULE_MS, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

/** The library checks the time of a call against the clock, which the tests of the service move. */
function verified({ headers, body }: Received, secret: string): boolean {
  const now = vi.spyOn(Date, "now").mockReturnValue(Number(headers["webhook-timestamp"]) * 1000);
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  } finally {
    now.mockRestore();
  }
}

interface PlanNode {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  Plans?: PlanNode[];
}

/** Runs a statement, and returns the number of rows that its plan produced or removed. */
async function rowsVisited(queries: Queries, statement: SQL): Promise<number> {
  const { rows } = await queries.execute<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
    sql`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
  );
  const visited = (node: PlanNode): number =>
    node["Actual Loops"] *
      (node["Actual Rows"] +
        (node["Rows Removed by Filter"] ?? 0) +
        (node["Rows Removed by Join Filter"] ?? 0)) +
    (node.Plans ?? []).map(visited).reduce((sum, one) => sum + one, 0);
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
  if (plan === undefined) throw new Error("The statement has no plan");
  return visited(plan);
}

interface Hook {
  id: number;
  secret: string;
  token: string;
}

async function newHook(s: TestService, token: string, url: string, ...events: string[]): Promise<Hook> {
  const { status, body, headers } = await s.post("/api/v2/webhooks/", { url, events }, token);
  expect([status, headers.get("location")]).toEqual([201, `/api/v2/webhooks/${body.id}/`]);
  return { id: body.id, secret: body.secret, token };
}

const pathOf = ({ id }: Hook) => `/api/v2/webhooks/${id}/`;

async function deliveriesOf(s: TestService, hook: Hook) {
  const { body } = await s.get(`${pathOf(hook)}deliveries/?limit=100`, hook.token);
  return body.results as {
    id: number;
    type: string;
    state: string;
    attempts: number;
    response: string;
    data: object;
  }[];
}

const messagesOf = (calls: readonly Received[]) => calls.map(({ body }) => JSON.parse(body));

const START = "2024-03-01T10:00:00.000Z";

/** Returns the secrets that verify a call. */
const verifying = (call: Received | undefined, secrets: readonly string[]) =>
  secrets.map((secret) => call !== undefined && verified(call, secret));

async function rotated(s: TestService, hook: Hook) {
  const { status, body } = await s.send("POST", `${pathOf(hook)}secret/`, {
    token: hook.token,
    headers: { "Idempotency-Key": "one" },
  });
  expect([status, body.secret]).toEqual([200, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/)]);
  return body as { secret: string; previous_valid_until: string };
}

describe("a webhook of an account", () => {
  it("is called when samples are stored and the job has ended, with a body that the Standard Webhooks library accepts", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    const hook = await newHook(s, ann.token, receiving.url, "samples.stored", "job.finished");
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const device = await s.ownedDevice(ann);
    await s.backdate(device, "2024-01-01T00:00:00Z");
    const recording = await walk(device.serial_number, START, 10);
    const { body: load } = await s.post(
      `/api/v1/devices/${device.id}/bulk-load/`,
      { asi_b64: Buffer.from(recording).toString("base64") },
      ann.token,
    );
    await s.runJobs();
    // The service calls at the same time.
    const calls = [...receiving.received].sort((a, b) => (a.body < b.body ? 1 : -1));
    const from = new Date(START).toISOString();
    const to = new Date(Date.parse(START) + 9 * 100).toISOString();
    expect(messagesOf(calls)).toEqual([
      { type: "samples.stored", timestamp: expect.any(String), data: { to, from, device: device.id } },
      {
        type: "job.finished",
        timestamp: expect.any(String),
        data: {
          ...{ job: load.job_id, code: null, state: "SUCCESS" },
          ...{ known: 0, stored: 10, refused: 0 },
        },
      },
    ]);
    for (const call of calls) {
      expect(verified(call, hook.secret)).toBe(true);
      expect(verified({ ...call, body: call.body.replace("type", "kind") }, hook.secret)).toBe(false);
      expect(JSON.stringify(call)).not.toContain(hook.secret);
      expect(call.headers["x-asi-api-token"]).toBeUndefined();
    }
    const { body: shown } = await s.get(pathOf(hook), ann.token);
    expect(shown).toEqual({
      id: hook.id,
      url: receiving.url,
      events: ["samples.stored", "job.finished"],
      created_at: expect.any(String),
      disabled_at: null,
    });
  });

  it("receives only the selected events", async ({ hooks: { s } }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    await newHook(s, ann.token, receiving.url, "job.finished");
    const device = await s.ownedDevice(ann);
    await s.post(
      `/api/v1/devices/${device.id}/bulk-load/`,
      { asi_b64: Buffer.from(await walk(device.serial_number, START, 10)).toString("base64") },
      ann.token,
    );
    await s.runJobs();
    expect(
      messagesOf(receiving.received).map(({ type, data }) => [type, data.state, data.code, data.refused]),
    ).toEqual([["job.finished", "SUCCESS", null, 10]]);
  });

  it("receives an event when samples, periods or times of a session change, but not for changes in other accounts", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const session = await scene.session();
    const receiving = await receiver();
    const hook = await newHook(s, scene.manager.token, receiving.url, "session.changed");
    const stranger = await SquadScene.of(s, ["Bob"]);
    await stranger.session();
    await s.runJobs();
    expect(receiving.received).toEqual([]);

    const told = async () => {
      await s.runJobs();
      return messagesOf(receiving.received.splice(0)).map(({ type, data }) => [type, data]);
    };
    const expected = [["session.changed", { session }]];
    await s.load(ann.device, scene.manager, await walk(ann.device.serial_number, minute(1), 10));
    expect(await told()).toEqual(expected);
    await s.load(ann.device, scene.manager, await walk(ann.device.serial_number, minute(90), 10));
    expect(await told()).toEqual([]);
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { end_time: minute(50) });
    expect(await told()).toEqual(expected);
    const periods = await s.send("PUT", `/api/v2/sessions/${session}/periods/`, {
      token: scene.manager.token,
      body: "period,start,end,player\n1st half,13:00,13:10,\n",
      headers: { "Content-Type": "text/csv" },
    });
    expect(periods.status).toBe(200);
    expect(await told()).toEqual(expected);
    expect((await deliveriesOf(s, hook)).map(({ state }) => state)).toEqual(Array(3).fill("delivered"));
    const { body: members } = await s.get(`/api/v2/members/?squad=${scene.squad}`, scene.manager.token);
    await scene.send("DELETE", `/api/v2/members/${members.results[0].id}/`);
    expect(await told()).toEqual(expected);
  });

  it("receives no event about samples that another manager owns, although a session of its own manager covers their times", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [{ device }] = scene.players as [TestPlayer];
    const session = await scene.session();
    const { queries } = s.store.database;
    const handover = new Date(minute(30));
    await queries.update(ownerships).set({ endTime: handover }).where(eq(ownerships.deviceId, device.id));
    const next = await s.manager();
    await s.take(device, next);
    await s.backdate(device, minute(30));
    const receiving = await receiver();
    await newHook(s, scene.manager.token, receiving.url, "session.changed");
    await s.runJobs();
    receiving.received.length = 0;
    await s.load(device, next, await walk(device.serial_number, minute(35), 10));
    await s.runJobs();
    expect(messagesOf(receiving.received)).toEqual([]);
    const own = { startMs: Date.parse(minute(29)), stopMs: Date.parse(minute(31)) };
    await transact(s.ctx, "test", (unit) =>
      unit.announce("samplesDeleted", { deviceId: device.id, deleted: [own], removed: [], count: 0 }),
    );
    await s.runJobs();
    expect(messagesOf(receiving.received).map(({ data }) => data)).toEqual([{ session }]);
  });

  it("does not compare each of a thousand changes with each of 300 earlier time frames", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [{ device }] = scene.players as [TestPlayer];
    const session = await scene.session();
    await newHook(s, scene.manager.token, "https://example.org/", "session.changed");
    const { queries } = s.store.database;
    await queries.execute(sql`
        WITH added AS (
      INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
        SELECT start_time - before, end_time - before, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at
        FROM (SELECT * FROM timeframes WHERE device_id = ${device.id} LIMIT 1) AS known,
          (SELECT day * interval '1 day' AS before FROM generate_series(1, 300) AS day) AS days
        RETURNING id
      )
      INSERT INTO session_timeframes (session_id, timeframe_id, period) SELECT ${session}, id, '' FROM added`);
    const changed = Array.from({ length: 1000 }, (_, i) => {
      const ms = Date.parse(minute(1)) + i * MINUTE_MS;
      return { startMs: ms, stopMs: ms };
    });
    const visited: number[] = [];
    const execute = async (statement: SQL) => {
      visited.push(await rowsVisited(queries, statement));
      return { rows: [] };
    };
    const unit = { queries: { execute } } as unknown as UnitOfWork;
    await emitChangedSessions(unit, { deviceId: device.id, changed });
    expect(visited).toHaveLength(1);
    expect(visited[0]).toBeLessThan(10_000);
  });

  it("receives an event repeatedly until it accepts it, and again on request", async ({
    hooks: { s, advance },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    receiving.behaviour = answer(503);
    const hook = await newHook(s, ann.token, receiving.url, "samples.stored");
    const device = await s.ownedDevice(ann);
    await s.backdate(device, "2024-01-01T00:00:00Z");
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

  it("signs with the 3 newest replaced secrets, even after concurrent rotations, and neither stores nor logs any secret in clear", async ({
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

  it("is called with its secret even if a replaced one cannot be decrypted", async ({ hooks: { s } }) => {
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

  it("is refused with unknown events, with an invalid address, or if the account is at its limit", async ({
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
    // concurrently, so no request counts the webhooks of the others
    const created = await Promise.all(
      Array.from({ length: 25 }, () => create({ url, events: ["job.finished"] })),
    );
    expect(created.map(({ status }) => status).sort()).toEqual([
      ...Array(20).fill(201),
      ...Array(5).fill(409),
    ]);
  });

  it("receives at most 200 events per change, and the number of the other events", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    const hooks = [];
    for (let i = 0; i < 8; i++) hooks.push(await newHook(s, ann.token, receiving.url, "session.changed"));
    const sessions = Array.from({ length: 30 }, (_, i) => ({ session: i + 1 }));
    await transact(s.ctx, "test", (unit) => emitAccountEvents(unit, ann.id, "session.changed", sessions));
    const deliveries = (await Promise.all(hooks.map((hook) => deliveriesOf(s, hook)))).flat();
    expect(deliveries.filter(({ state }) => state === "pending")).toHaveLength(200);
    const notSent = deliveries.filter(({ state }) => state === "failed");
    expect(notSent).toHaveLength(8);
    for (const { response } of notSent)
      expect(response).toBe("5 events were not sent, because a change sends at most 200 events.");
  });

  it("has its calls charged to the address of the upload, so they use no slots of other addresses", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    await newHook(s, ann.token, receiving.url, "job.finished");
    const device = await s.ownedDevice(ann);
    await s.load(device, ann, await walk(device.serial_number, START, 10));
    const groups = await s.store.database.queries
      .select({ kind: jobs.kind, group: jobs.chargedGroup })
      .from(jobs)
      .where(and(eq(jobs.chargedTo, ann.id), inArray(jobs.kind, ["bulk-load", "webhook"])))
      .orderBy(asc(jobs.id));
    expect(groups.map(({ kind }) => kind)).toEqual(["bulk-load", "webhook"]);
    expect(groups[0]?.group).toBe(groups[1]?.group);
    expect(groups[0]?.group).not.toBe("");
  });
});
