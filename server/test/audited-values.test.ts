/** Tests the size of values in the audit log. */
import { randomBytes } from "node:crypto";
import { and, asc, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { commands } from "../src/operator/commands.js";
import { auditLog } from "../src/store/schema.js";
import { service, startService, type TestService } from "./service.js";
import { minute, SquadScene } from "./squad-scene.js";
import { newActivity, Team } from "./team.js";

let s: TestService;
let team: Team;

beforeAll(async () => {
  s = await service();
  team = await Team.of(s);
});

const DIGEST = /^sha256:[0-9a-f]{64} \(6\d{4} bytes\)$/;

/** Returns 60 KB of text that the database can hardly compress. */
const note = () => randomBytes(45_000).toString("base64");

const change = async (path: string, json: unknown) => {
  const { status, body } = await s.send("PATCH", path, { token: team.manager.token, json });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};

const about = (entity: string, id: number) => and(eq(auditLog.entity, entity), eq(auditLog.entityId, id));

/** Returns the audit rows of an object and the size of their values. */
async function audited(entity: string, id: number) {
  const { queries } = s.store.database;
  const rows = await queries.select().from(auditLog).where(about(entity, id)).orderBy(asc(auditLog.id));
  const [size] = await queries
    .select({
      bytes: sql<number>`sum(coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0))::integer`,
    })
    .from(auditLog)
    .where(about(entity, id));
  return { rows, bytes: size?.bytes ?? 0 };
}

describe("a value of 60 KB", () => {
  it("is recorded only as a change if it is in the json of an activity, which keeps the audit log small", async () => {
    const activity = await newActivity(s, team.manager);
    const path = `/api/v1/activities/${activity}/`;
    const notes = [note(), note()];
    for (let turn = 0; turn < 10; turn += 1) {
      const json = { sport: "soccer", note: notes[turn % 2] };
      expect((await change(path, { json })).json).toEqual(json);
    }
    const { rows, bytes } = await audited("activity", activity);
    expect(bytes).toBeLessThan(rows.length * 1_000);
    const [, ...changes] = rows.filter(({ operation }) => operation === "updateActivity");
    expect(changes).toHaveLength(9);
    for (const { before, after } of changes) {
      expect([before?.json, after?.json]).toEqual([
        expect.stringMatching(DIGEST),
        expect.stringMatching(DIGEST),
      ]);
      expect(before?.json).not.toBe(after?.json);
    }
    // Equal values have equal digests.
    expect(new Set(changes.map(({ after }) => after?.json)).size).toBe(2);
  });

  it("is recorded only as a change if it is in the params of a time frame, even on creation and deletion", async () => {
    const notes = [note(), note()];
    const { body: frame } = await team.create({ params: { note: notes[0] } });
    const path = `/api/v1/timeframes/${frame.id}/`;
    for (let turn = 1; turn < 6; turn += 1) await change(path, { params: { note: notes[turn % 2] } });
    expect((await s.send("DELETE", path, { token: team.manager.token })).status).toBe(204);
    const { rows, bytes } = await audited("timeframe", frame.id);
    expect(rows).toHaveLength(7);
    expect(bytes).toBeLessThan(rows.length * 1_500);
    const params = rows.map(({ before, after }) => [before?.params, after?.params]);
    const [first, second] = [params[0]?.[1], params[1]?.[1]];
    expect([first, second]).toEqual([expect.stringMatching(DIGEST), expect.stringMatching(DIGEST)]);
    expect(first).not.toBe(second);
    expect(params).toEqual([
      [undefined, first],
      [first, second],
      [second, first],
      [first, second],
      [second, first],
      [first, second],
      [second, undefined],
    ]);
  });
});

describe("a value of up to 256 bytes", () => {
  it("is recorded in the audit log in full", async () => {
    const json = { sport: "soccer", note: "x".repeat(200) };
    await change(`/api/v1/activities/${team.activity}/`, { json });
    const { rows } = await audited("activity", team.activity);
    expect(rows.at(-1)?.after).toMatchObject({ json });
  });

  it("contains the digest of a course of any length", async () => {
    const json = { sport: "soccer", gpx: "é".repeat(50_000) };
    await change(`/api/v1/activities/${team.activity}/`, { json });
    const { rows } = await audited("activity", team.activity);
    expect(rows.at(-1)?.after).toMatchObject({
      json: { sport: "soccer", gpx: expect.stringMatching(/^sha256:[0-9a-f]{64} \(100000 bytes\)$/) },
    });
  });
});

describe("the audit log of changes by one account in a day", () => {
  const BYTES = 20_000;
  const summaries = async (id: number) => (await audited("audit", id)).rows;

  async function rename(on: TestService, owner: Team, times: number): Promise<void> {
    const path = `/api/v1/activities/${owner.activity}/`;
    const names = Array.from({ length: times }, (_, n) => `Turn ${n}`);
    const statuses = await Promise.all(
      names.map((name) => on.send("PATCH", path, { token: owner.manager.token, json: { name } })),
    );
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
  }

  it("has rows up to a number of bytes; one additional row counts the other changes until the next day", async () => {
    const limited = await startService({ auditBytesPerDay: BYTES });
    const mine = await Team.of(limited);
    const before = (await audited("activity", mine.activity)).rows.length;
    await commands["audit export"](limited.ctx, { account: mine.manager.username });
    for (let turn = 0; turn < 5; turn += 1) await rename(limited, mine, 30);
    const { rows } = await audited("activity", mine.activity);
    const [summary, ...others] = await summaries(mine.manager.id);
    expect(others).toEqual([]);
    expect(summary).toMatchObject({
      accountId: mine.manager.id,
      operation: "summarised",
      after: {
        entries: 150 - (rows.length - before),
        changes: { "updateActivity activity": 150 - (rows.length - before) },
        until: expect.any(String),
      },
    });
    expect(rows.length * 1_000).toBeLessThan(BYTES * 3);
    // Entries of other accounts, and entries of the operator about the same account, do not count.
    const other = await Team.of(limited);
    expect(await summaries(other.manager.id)).toEqual([]);
    await commands["manager grant"](limited.ctx, { username: mine.manager.username });
    const about = (await audited("account", mine.manager.id)).rows;
    expect(about.at(-1)).toMatchObject({ operation: "manager grant", after: expect.anything() });
    limited.clock.advance(86_400_000);
    const { username, password } = mine.manager;
    mine.manager.token = await limited.logIn(username, password);
    await rename(limited, mine, 1);
    expect((await audited("activity", mine.activity)).rows).toHaveLength(rows.length + 1);
  });

  it("also limits the rows of one change, and counts its other entries", async () => {
    const limited = await startService({ auditBytesPerDay: BYTES });
    const mine = await Team.of(limited);
    const changes = Array.from({ length: 1_200 }, (_, n) => ({ id: n + 1, after: { n } }));
    await transact(limited.ctx, "test", (unit) => unit.auditAll("counted", changes), mine.manager.id);
    const written = await limited.store.database.queries.$count(auditLog, eq(auditLog.entity, "counted"));
    expect(written).toBeGreaterThan(0);
    // A row counts as more than 250 bytes.
    expect(written).toBeLessThan(BYTES / 250);
    const [summary] = await summaries(mine.manager.id);
    expect(summary?.after).toMatchObject({ changes: { "test counted": changes.length - written } });
  });

  it("has rows of jobs up to the same number of bytes, and rows of later changes by the account", async () => {
    const limited = await startService({ auditBytesPerDay: BYTES });
    const scene = await SquadScene.of(limited, ["Ann"]);
    const session = await scene.session();
    const drills = Array.from({ length: 10 }, (_, n) => ({
      name: `Drill ${n}`,
      start_time: minute(n),
      end_time: minute(n + 1),
    }));
    const put = await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, drills);
    expect(put.status).toBe(200);
    await limited.runJobs();
    const { queries } = limited.store.database;
    const byJobs = () =>
      queries
        .select()
        .from(auditLog)
        .where(and(eq(auditLog.operation, "derive sessions"), eq(auditLog.entity, "timeframe")));
    expect(await byJobs()).toEqual([]);
    const { body } = await scene.send("GET", `/api/v2/members/?squad=${scene.squad}`);
    const TIMES = 8;
    for (let turn = 1; turn <= TIMES; turn += 1) {
      const changed = { params: { sprint_threshold: turn } };
      const { status } = await scene.send("PATCH", `/api/v2/members/${body.results[0].id}/`, changed);
      expect(status).toBe(200);
      await limited.runJobs();
    }
    const rows = await byJobs();
    // Each change replaces the time frames of the session and its ten drills.
    const summarised = TIMES * 2 * 11 - rows.length;
    expect(rows.length).toBeGreaterThan(0);
    // A row counts as more than 250 bytes.
    expect(rows.length).toBeLessThan(BYTES / 250);
    expect(new Set(rows.map(({ accountId }) => accountId))).toEqual(new Set([null]));
    const about = eq(auditLog.entityId, scene.manager.id);
    const summary = () =>
      queries
        .select()
        .from(auditLog)
        .where(and(eq(auditLog.entity, "audit"), about));
    expect(await summary()).toMatchObject([
      { accountId: scene.manager.id, after: { changes: { "derive sessions timeframe": summarised } } },
    ]);
    const before = await queries.$count(auditLog, eq(auditLog.accountId, scene.manager.id));
    expect((await scene.send("PATCH", `/api/v2/squads/${scene.squad}/`, { name: "Reserves" })).status).toBe(
      200,
    );
    expect(await queries.$count(auditLog, eq(auditLog.accountId, scene.manager.id))).toBe(before + 1);
  });

  it("does not count failed changes", async () => {
    const limited = await startService({ auditBytesPerDay: BYTES, quotaActivities: 1 });
    const mine = await Team.of(limited);
    const token = mine.manager.token;
    const { body } = await limited.get(`/api/v1/activities/${mine.activity}/`, token);
    for (let turn = 0; turn < 60; turn += 1)
      expect((await limited.post("/api/v1/activities/", body, token)).status).toBe(400);
    await rename(limited, mine, 1);
    expect(await summaries(mine.manager.id)).toEqual([]);
  });
});
