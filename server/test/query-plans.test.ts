/** Tests that with a thousand devices and a million jobs, no statement of the service reads a whole large table. */
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { findAthlete } from "../src/domain/accounts/find.js";
import { transact } from "../src/domain/change/change.js";
import { pruneSurplus } from "../src/domain/change-log/prune.js";
import { auditOf } from "../src/domain/exports/athlete-rows.js";
import { emitActivityEvent } from "../src/domain/webhooks/events.js";
import { applyRetention } from "../src/jobs/retention.js";
import { removeSurplusDeliveries } from "../src/jobs/surplus-deliveries.js";
import { commands } from "../src/operator/commands.js";
import { newStore } from "./databases.js";
import { DocumentedCalls } from "./documented-calls.js";
import { EventClient } from "./event-source.js";
import { fillLargeDatabase } from "./large-database.js";
import { type OpenApiDocument, readDocument, type Schema } from "./openapi-document.js";
import { Plans } from "./plans.js";
import { walk } from "./recordings.js";
import { newScene, type Scene } from "./scene.js";
import { statementsOf } from "./sent-statements.js";
import { TestService } from "./service.js";
import { minute, SquadScene } from "./squad-scene.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

/** Number of calls per operation; some calls delete objects used by others. */
const RANDOM_CALLS = 4;

/** Returns a value that a list accepts. */
const acceptedValue = ({ type, format }: Schema): string =>
  format === "date-time"
    ? "2024-01-01T00:00:00Z"
    : format === "date"
      ? "1990-01-01"
      : type === "boolean"
        ? "true"
        : type === "integer"
          ? "1"
          : "a";

/** Queries every list with each filter, order and search separately. */
async function readLists(s: TestService, { ids, owner }: Scene, document: OpenApiDocument): Promise<void> {
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (get === undefined || path.startsWith("/oauth2/")) continue;
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    for (const { name, schema, example } of get.parameters) {
      const value = String(schema.example ?? example ?? acceptedValue(schema));
      await s.get(`${at}?${new URLSearchParams({ [name]: value })}`, owner.token);
      if (name === "ordering") await s.get(`${at}?ordering=-${value},id`, owner.token);
    }
  }
}

/** Reads changes of all kinds after a cursor. */
async function followChanges(s: TestService, { owner, device }: Scene): Promise<void> {
  const path = "/api/v2/changes/";
  const { body } = await s.get(path, owner.token);
  await s.load(device, owner, await walk(device.serial_number, hours(-1), 2));
  await s.send("POST", "/api/v2/squads/", { token: owner.token, json: { name: "Changed" } });
  await s.get(`${path}?cursor=${body.next_cursor}`, owner.token);
}

/** Returns a time relative to now, when the recording of the scene begins. */
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

async function readRawData(s: TestService, { ids, owner }: Scene): Promise<void> {
  const range = new URLSearchParams({ start: hours(-2), stop: hours(2) });
  const device = `/api/v1/devices/${ids.device}`;
  for (const path of ["preprocessed-data", "preprocessed-data-ranges"])
    await s.get(`${device}/${path}/?${range}`, owner.token);
  for (const path of [
    "latest-preprocessed-data/?size=300",
    "latest-timestamp/",
    "preprocessed-data/?limit=1&start=0&stop=1",
  ])
    await s.get(`${device}/${path}`, owner.token);
  await s.get(`/api/v1/timeframes/${ids.timeframe}/computed-data/`, owner.token);
  await s.get(`/api/v1/activities/${ids.activity}/computed-data/`, owner.token);
}

/** Emits events for webhooks whose owner has reached the limit on waiting deliveries. */
async function emitBeyondQuota({ ctx }: TestService, { ids }: Scene): Promise<void> {
  const full = { ...ctx, config: { ...ctx.config, webhookMaxPending: 0 } };
  await transact(full, "test", (unit) =>
    emitActivityEvent(unit, "activity-updated", { activityId: Number(ids.activity) }),
  );
}

/** Runs all operator commands except backup, which reads everything. */
async function operate(s: TestService, { owner, thatAthlete }: Scene): Promise<void> {
  const { ctx } = s;
  const operator = { ...s.ctx, database: s.store.database };
  const serialNumber = randomUUID();
  const app = await commands["app create"](operator, { name: "An app" });
  await commands["device add"](operator, { serialNumber, deviceName: "rover", deviceType: "T1" });
  await commands["device report-start"](operator, { serialNumber, firmwareVersion: "1.0" });
  await s.take({ id: 0, serial_number: serialNumber, device_name: "rover" }, owner);
  await commands["ownership backdate"](operator, { serialNumber, start: "2024-01-01T00:00:00Z" });
  await commands["manager grant"](operator, { username: owner.username });
  await commands["session list"](operator, { username: owner.username });
  await commands["session revoke"](operator, { username: thatAthlete.username });
  await commands["app revoke"](operator, { clientId: String(app.client_id) });
  await commands["account delete"](ctx as never, { username: thatAthlete.username });
  await commands["account delete"](ctx as never, { username: owner.username });
}

/** Reads the audit about an athlete whom very many rows name, and removes surplus deliveries. */
async function exceedLimits(s: TestService, { thatAthlete: { id } }: Scene): Promise<void> {
  const { queries } = s.store.database;
  await queries.execute(sql`
    INSERT INTO audit_log (at, operation, entity, entity_id, after, request_id)
    SELECT now(), 'updateTimeframe', 'timeframe', n, jsonb_build_object('athleteId', ${id}::bigint), 'r'
    FROM generate_series(1, 50001) AS n`);
  for await (const _ of auditOf(s.ctx, await findAthlete(id, { queries, lock: false }), () => undefined));
  await queries.execute(sql`
    INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, created_at)
    SELECT 'surplus-' || n, 1000000, 'http://127.0.0.1:9/', 'sealed', 'activity-updated', '{}', 'delivered', now()
    FROM generate_series(1, 20001) AS n`);
  await removeSurplusDeliveries(s.ctx, undefined, () => undefined);
}

/** Runs the statements of a poll, which reads samples. */
async function followLive(s: TestService, { owner }: Scene): Promise<void> {
  const { body } = await s.post("/api/v2/live-tickets/", undefined, owner.token);
  const client = await EventClient.open(`${s.service.url}/api/v2/live/?ticket=${body.ticket}`, {});
  await client.next();
  client.leave();
}

/** Reads the table of a session whose figures are missing, and runs the job that computes them. */
async function readSessionTable(s: TestService): Promise<void> {
  const scene = await SquadScene.of(s, ["Ann"]);
  const session = await scene.session();
  for (const { device } of scene.players) await scene.run(device, 0, 1);
  await scene.send("GET", `/api/v2/sessions/${session}/figures/?wait=0`);
  await scene.send("GET", `/api/v2/sessions/suggested/?start_time=${minute(0)}&end_time=${minute(60)}`);
  await s.runJobs();
}

/** Runs all work of the service: every operation, jobs, commands, metrics, and retention. */
async function liveThrough(s: TestService): Promise<void> {
  const calls = await DocumentedCalls.of(s);
  const document = readDocument((await s.get("/api/schema/")).body);
  const scene = await newScene(s);
  await readLists(s, scene, document);
  await readRawData(s, scene);
  await readSessionTable(s);
  await followChanges(s, scene);
  await emitBeyondQuota(s, scene);
  const again = await walk(scene.device.serial_number, new Date().toISOString(), 2);
  await s.load(scene.device, scene.owner, again);
  await followLive(s, scene);
  await s.send("POST", "/api/v2/recordings/", {
    token: scene.owner.token,
    body: new Blob([again as Uint8Array<ArrayBuffer>]),
    headers: { "Content-Type": "application/octet-stream" },
  });
  // The response to this request counts towards a quota.
  await s.send("POST", "/api/v1/activities/", {
    token: scene.owner.token,
    json: {
      name: "Large",
      json: { sport: "soccer", gpx: "x".repeat(3_000) },
      json_schema: scene.ids.json_schema,
      owner: scene.owner.id,
    },
    headers: { "Idempotency-Key": randomUUID() },
  });
  for (const operation of calls.operations) {
    await calls.scene();
    const property = fc.asyncProperty(calls.inputs(operation), (sent) => calls.call(operation, sent));
    await fc.assert(property, { numRuns: RANDOM_CALLS, seed: 1 });
  }
  await s.release(scene.device, scene.owner);
  await s.runJobs();
  const { metrics } = s.service.app;
  await metrics.metrics();
  const last = await newScene(s);
  await exceedLimits(s, last);
  await operate(s, last);
  // Later, no change would be left.
  await pruneSurplus(s.computing, 1_000, undefined, () => undefined);
  s.clock.advance(3 * 365 * 86_400_000);
  await applyRetention(s.computing);
}

describe.runIf(isPostgres)("with a thousand devices and a million jobs", () => {
  let plans: Plans;
  let sent: string[];

  beforeAll(async () => {
    const [large, small] = [await newStore(), await newStore()];
    const client = new pg.Client(large.databaseUrl ?? "");
    await client.connect();
    const lived = statementsOf(async () =>
      liveThrough(await TestService.start(small, { webhookAllowPrivate: true })),
    );
    await fillLargeDatabase(client);
    plans = await Plans.of(client);
    sent = [...(await lived).keys()];
    return async () => {
      await small.close();
      await large.close();
      await client.end();
    };
  });

  it("no statement reads all of a large table", async () => {
    const problems: string[] = [];
    for (const text of sent) {
      const problem = await plans.problemOf(text).catch((error: Error) => `${error.message}:\n${text}`);
      if (problem !== undefined) problems.push(problem);
    }
    // All operations and jobs together send more statements than this.
    expect(sent.length).toBeGreaterThan(250);
    expect(problems.join("\n\n")).toBe("");
  });

  it.each([
    ["the job of a repeated recording", /->>'sha256' = \$/, ["jobs_recording"]],
    [
      "the recordings whose samples were deleted",
      /^UPDATE "jobs" SET payload = payload - .* && box\(/s,
      ["jobs_loaded_times"],
    ],
    ["the waiting job of a time frame", /->>'timeframe' = "timeframes"/, ["jobs_timeframe"]],
    ["the waiting job of a session", /"payload"->>'session' = \$/, ["jobs_session"]],
    ["the derivations of a session", /"payload"->>'subject' = known/, ["jobs_derivations"]],
    ["the failed job of a session", /"details"->>'session' = \$/, ["jobs_failed_session"]],
    ["the oldest finished jobs of an account", /finished_at DESC, id DESC OFFSET/, ["jobs_charged"]],
    ["a part of the audit log", /AS looked_through/, ["audit_log_pkey"]],
    [
      "the audit rows that name an athlete",
      /^select "id" from "audit_log" where \(ARRAY/,
      ["audit_log_people"],
    ],
    ["the audit rows that are erased", /SET before = NULL.* WHERE id = ANY/, ["audit_log_pkey"]],
    [
      "the next webhooks with deliveries, and their newest surplus deliveries",
      /SELECT webhook_id AS id/,
      ["webhook_deliveries_webhook"],
    ],
    [
      "surplus deliveries",
      /^\s*DELETE FROM "webhook_deliveries".* AND id <= /s,
      ["webhook_deliveries_webhook"],
    ],
    ["removed samples of a time frame", /gone\.start_ms <= /, ["removed_samples_pkey", "ownerships_manager"]],
    ["recorded removals near others", /delete from "removed_samples"/, ["removed_samples_pkey"]],
    [
      "the changes of an account, and the position of those that were removed",
      /AS is_pruned/,
      ["changes_order", "changes_pkey"],
    ],
    [
      "the changes of an account that are kept",
      /^\s*SELECT xid::text, seq FROM "changes"/,
      ["changes_order"],
    ],
    [
      "permissions that have begun or ended",
      /DISTINCT start_time AS at/,
      ["permissions_manager", "permissions_ends"],
    ],
  ])("%s: found with an index, however many other rows there are", async (_, pattern, indexes) => {
    const statements = sent.filter((text) => pattern.test(text));
    expect(statements.length).toBeGreaterThan(0);
    for (const text of statements)
      expect([...(await plans.indexesOf(text)).keys()], text).toEqual(expect.arrayContaining(indexes));
  });

  it.each([
    ["the time frames near changed samples", /AS near \(starts\)/, "timeframes_device", "start_time"],
    [
      "the sessions during memberships",
      /range_agg\(tstzrange\(start_time, end_time\)\) AS times/,
      "sessions_order",
      "start_time",
    ],
    ["the next time frames of a season", /"is_computed"/, "timeframes_athlete", "ROW(start_time, id)"],
  ])("%s: found by their times", async (_, pattern, index, condition) => {
    const statements = sent.filter((text) => pattern.test(text));
    expect(statements.length).toBeGreaterThan(0);
    for (const text of statements)
      expect((await plans.indexesOf(text)).get(index), text).toContain(condition);
  });

  it("the deletion of a row finds all references with an index", async () => {
    expect(await plans.referencesWithoutIndex()).toEqual([]);
  });
});
