/** Tests the events that account webhooks receive: stored samples, ended jobs and changed sessions. */
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import type { UnitOfWork } from "../src/domain/change/unit-of-work.js";
import { emitAccountEvents } from "../src/domain/webhooks/account-events.js";
import { emitChangedSessions } from "../src/domain/webhooks/session-events.js";
import { type Queries, queriesOf } from "../src/store/connection/database.js";
import { jobs, ownerships } from "../src/store/schema.js";
import { deliveriesOf, messagesOf, newHook, pathOf, START, verified } from "./account-webhook-scene.js";
import { walk } from "./recordings.js";
import { minute, SquadScene, type TestPlayer } from "./squad-scene.js";
import { MINUTE_MS, receiver, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

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

describe("a webhook of an account", () => {
  it("is called when samples are stored and the job has ended, with a body that the Standard Webhooks library accepts", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    const hook = await newHook(s, ann.token, receiving.url, "samples.stored", "job.finished");
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const device = await s.longOwned(ann);
    const recording = await walk(device.serial_number, START, 10);
    const { body: load } = await s.post(
      `/api/v1/devices/${device.id}/bulk-load/`,
      { asi_b64: Buffer.from(recording).toString("base64") },
      ann.token,
    );
    await s.runJobs();
    // The service makes both calls at the same time.
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

  it("receives no event about samples that another manager owns, even if a session of its own manager covers their times", async ({
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

  it("receives at most 200 events per change, and a count of the remaining events", async ({
    hooks: { s },
  }) => {
    const ann = await s.manager();
    const receiving = await receiver();
    const hooks = [];
    for (let i = 0; i < 8; i++) hooks.push(await newHook(s, ann.token, receiving.url, "session.changed"));
    const sessions = Array.from({ length: 30 }, (_, i) => ({ session: i + 1 }));
    const compared: unknown[] = [];
    const logQuery = (text: string, parameters: unknown[]) => {
      if (text.includes("webhook_deliveries AS waiting")) compared.push(...JSON.parse(String(parameters[0])));
    };
    const ctx = { ...s.ctx, queries: queriesOf(s.store.database.pool, { logQuery }) };
    await transact(ctx, "test", (unit) => emitAccountEvents(unit, ann.id, "session.changed", sessions));
    // The others are not compared with deliveries that wait.
    expect(compared).toHaveLength(200);
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
