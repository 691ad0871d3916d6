/** Tests how many statements changes of many rows need, and how many rows each transaction changes. */

import { and, eq, gt, ne, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { updateActivity } from "../src/domain/activities/update.js";
import type { Context } from "../src/domain/change/context.js";
import { QuotaExceeded } from "../src/domain/change/quotas.js";
import { markRest } from "../src/domain/computed-data/mark-rest.js";
import { deleteActivity } from "../src/domain/deletion/activity.js";
import { deleteManagedAthlete } from "../src/domain/deletion/athlete.js";
import { importRoster } from "../src/domain/rosters/import.js";
import type { FanOut } from "../src/domain/webhooks/events.js";
import { fanOut } from "../src/domain/webhooks/fan-out.js";
import { type Queries, queriesOf } from "../src/store/connection/database.js";
import { jobColumns } from "../src/store/queue/job-queue.js";
import { Turn, TurnEnded } from "../src/store/queue/turn.js";
import {
  accounts,
  activities,
  assignments,
  jobs,
  recomputations,
  squadMembers,
  timeframes,
  webhookDeliveries,
} from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";
import { minute, SquadScene } from "./squad-scene.js";
import { Team } from "./team.js";

// Use a separate database, because this test leaves jobs unfinished.
let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore(), { webhookAllowPrivate: true });
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

/** Returns queries that record their statements. */
function listening(): { queries: Queries; sent: string[] } {
  const sent: string[] = [];
  const queries = queriesOf(s.store.database.pool, { logQuery: (text) => void sent.push(text) });
  return { queries, sent };
}

/** Creates an activity with time frames of one athlete, and webhooks. */
async function activityWith(timeframes: number, webhooks: number): Promise<Team> {
  const team = await Team.of(s);
  const { body } = await team.create();
  const { queries } = s.store.database;
  await queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at
    FROM timeframes, generate_series(2, ${timeframes}) WHERE id = ${body.id}`);
  await queries.execute(sql`
    INSERT INTO webhooks (activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at)
    SELECT ${team.activity}, 'http://127.0.0.1:9/' || n, 'sealed', true, true, now() FROM generate_series(1, ${webhooks}) AS n`);
  return team;
}

/** Returns a context with the team's manager as the caller. */
const by = ({ manager: { id, username } }: Pick<Team, "manager">, queries: Queries): Context => ({
  ...s.ctx,
  queries,
  caller: { id, username, role: "MANAGER", canCreateManagedAthletes: true, scopes: null },
});

/** Imports rosters into a squad whose players exchange their devices and numbers, so that each row changes. */
async function importsInto(players: number) {
  const scene = await SquadScene.of(s);
  for (let i = 0; i < players; i++) await scene.add(`Player ${i}`, { sprint_threshold: 7 });
  const { queries, sent } = listening();
  const file = (shift: number) =>
    scene.players.map(({ name }, i) => {
      const { device } = scene.players[(i + shift) % players] as (typeof scene.players)[number];
      return `${name},${10 * shift + i},"D, ${shift} \\ ""{é}""",${device.serial_number},${190 + shift}`;
    });
  const load = async (shift: number) => {
    sent.length = 0;
    const csv = ["player,number,position,serial,max_hr", ...file(shift)].join("\n");
    const from = new Date(minute(0));
    return importRoster(by(scene, queries), scene.squad, Buffer.from(csv), { from });
  };
  return { scene, load, sent };
}

const rowOf = async (table: typeof activities | typeof accounts, id: number) => {
  const [row] = await s.store.database.queries.select().from(table).where(eq(table.id, id));
  return row as never;
};

it("a roster creates any number of athletes with the same statements, and none if it is then refused", async () => {
  const counts: number[] = [];
  for (const players of [2, 9]) {
    const scene = await SquadScene.of(s);
    const { queries, sent } = listening();
    const csv = ["player,serial", ...Array.from({ length: players }, (_, i) => `New ${i},`)].join("\n");
    const options = { from: new Date(minute(0)), create: true };
    const load = (ctx: Context) => importRoster(ctx, scene.squad, Buffer.from(csv), options);
    const ctx = by(scene, queries);
    const small = { ...ctx, config: { ...ctx.config, quotaMembers: players - 1 } };
    await expect(load(small)).rejects.toThrow(QuotaExceeded);
    expect(sent.filter((text) => /insert into/i.test(text))).toEqual([]);
    sent.length = 0;
    expect((await load(ctx)).created).toEqual({ athletes: players, members: players, assignments: 0 });
    counts.push(sent.length);
  }
  expect(counts[1]).toBe(counts[0]);
});

it("a roster reads the athletes of the manager before its transaction, which begins again if there are more", async () => {
  const scene = await SquadScene.of(s, ["Ann"]);
  const { queries, sent } = listening();
  const load = (ctx: Context) =>
    importRoster(ctx, scene.squad, Buffer.from("player,serial\nAnn,\nBea,\n"), { create: true });
  const kinds = () =>
    sent.flatMap((text) =>
      /^begin/i.test(text)
        ? ["begin"]
        : text.includes('"profile_external_id"') && text.includes("limit")
          ? ["read"]
          : [],
    );
  const ctx = by(scene, queries);
  await load(ctx);
  expect(kinds()).toEqual(["read", "begin"]);
  sent.length = 0;
  const transaction = queries.transaction.bind(queries);
  let added = false;
  queries.transaction = async (work, config) => {
    if (!added) await scene.add("Cleo");
    added = true;
    return transaction(work, config);
  };
  await load(ctx);
  expect(kinds()).toEqual(["read", "begin", "read", "begin"]);
});

it("the deletion of an athlete sends the same statements for many and for few managers with squads", async () => {
  const counts: number[] = [];
  for (const managers of [2, 9]) {
    const team = await Team.of(s);
    const { queries, sent } = listening();
    await queries.execute(sql`
      WITH manager AS (
        INSERT INTO accounts (role, username, username_key, email, created_at)
        SELECT 'MANAGER', name, name, '', now() FROM (SELECT 'm-' || gen_random_uuid() AS name FROM generate_series(1, ${managers})) AS new
        RETURNING id
      ), squad AS (INSERT INTO squads (name, owner_id, created_at) SELECT 'Squad', id, now() FROM manager)
      INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
      SELECT ${team.athlete}, id, 'WRITE', now() - interval '1 day', now() + interval '1 day' FROM manager`);
    sent.length = 0;
    await deleteManagedAthlete(by(team, queries), await rowOf(accounts, team.athlete), {});
    counts.push(sent.length);
    const derivations = sql`kind = 'derive' AND payload->>'athleteId' = ${String(team.athlete)}`;
    expect(await queries.$count(jobs, derivations)).toBe(managers);
  }
  expect(counts[1]).toBe(counts[0]);
});

it("the number of statements for a roster is the same for many and for few players and devices", async () => {
  const counts: number[][] = [];
  for (const players of [2, 9]) {
    const { scene, load, sent } = await importsInto(players);
    const ended = await load(1);
    expect([ended.created, ended.changed]).toEqual([
      { athletes: 0, members: players, assignments: players },
      { members: 0, assignments: 0 },
    ]);
    const own = [sent.length];
    const changed = await load(2 * players);
    expect([changed.created, changed.changed]).toEqual([
      { athletes: 0, members: 0, assignments: 0 },
      { members: players, assignments: players },
    ]);
    own.push(sent.length);
    counts.push(own);
    const stored = await s.store.database.queries
      .select()
      .from(squadMembers)
      .where(eq(squadMembers.squadId, scene.squad))
      .orderBy(squadMembers.id);
    const times = [new Date("2020-01-01"), new Date(minute(0)), new Date("2999-01-01")];
    const shift = 2 * players;
    expect(stored.slice(0, players).map(({ endTime, version }) => [endTime, version])).toEqual(
      scene.players.map(() => [times[1], 2]),
    );
    expect(stored.slice(players).map(({ id: _, squadId: __, ...row }) => row)).toEqual(
      scene.players.map(({ athlete }, i) => ({
        ...{ athleteId: athlete, number: 10 * shift + i, position: `D, ${shift} \\ "{é}"` },
        params: { sprint_threshold: 7, max_hr: 190 + shift },
        ...{ startTime: times[1], endTime: times[2], version: 2 },
      })),
    );
    const worn = await s.store.database.queries
      .select()
      .from(assignments)
      .where(eq(assignments.ownerId, scene.manager.id))
      .orderBy(assignments.startTime, assignments.deviceId);
    expect(
      worn.map(({ athleteId, deviceId, startTime, version }) => [athleteId, deviceId, startTime, version]),
    ).toEqual([
      ...scene.players.map(({ athlete, device }) => [athlete, device.id, times[0], 2]),
      ...scene.players.map(({ athlete, device }) => [athlete, device.id, times[1], 2]),
    ]);
  }
  expect(counts[1]).toEqual(counts[0]);
});

describe("the number of statements is the same for many and for few time frames and webhooks:", () => {
  it.each<[string, (ctx: Context, team: Team) => Promise<unknown>]>([
    ["when their activity is deleted", (ctx, { activity }) => deleteActivity(ctx, activity)],
    [
      "when their activity is updated",
      async (ctx, { activity }) =>
        updateActivity(ctx, await rowOf(activities, activity), { name: "Renamed" }),
    ],
    [
      "when their athlete is deleted",
      async (ctx, { athlete }) => deleteManagedAthlete(ctx, await rowOf(accounts, athlete), {}),
    ],
  ])("%s", async (_, work) => {
    const counts: number[] = [];
    for (const [timeframes, webhooks] of [
      [2, 1],
      // With these numbers, one transaction writes all deliveries and deletes all time frames.
      [10, 20],
    ] as const) {
      const team = await activityWith(timeframes, webhooks);
      const { queries, sent } = listening();
      await work(by(team, queries), team);
      counts.push(sent.length);
    }
    expect(counts[1]).toBe(counts[0]);
  });
});

describe("the computed data of hundreds of time frames that one change affects", () => {
  it("are marked as stale in groups of two hundred, and none is shown as current before that", async () => {
    const team = await activityWith(450, 0);
    const { queries } = s.store.database;
    const { rows: frames } = await queries.execute<{ id: number }>(
      sql`SELECT id::int FROM timeframes WHERE activity_id = ${team.activity} ORDER BY id`,
    );
    const last = frames.at(-1)?.id ?? 0;
    const computedAt = async () => (await team.computed(last)).body.last_computation as number;
    const marked = () =>
      queries.$count(
        timeframes,
        and(eq(timeframes.activityId, team.activity), gt(timeframes.dataVersion, 1)),
      );
    s.clock.stopAt(Date.now());
    const before = await computedAt();
    s.clock.advance(60_000);
    expect(await computedAt()).toBe(before);
    const { id } = team.manager;
    await queries.delete(jobs).where(eq(jobs.chargedTo, id));
    await updateActivity(by(team, queries), await rowOf(activities, team.activity), { name: "Renamed" });
    expect(await marked()).toBe(200);
    const [job] = await queries
      .select({ payload: jobs.payload })
      .from(jobs)
      .where(and(eq(jobs.kind, "recompute"), eq(jobs.chargedTo, id)));
    expect(await computedAt()).toBe(before + 60_000);
    // A worker has marked the next time frames and ended early; another one continues after them.
    const change = Number(job?.payload.recomputation);
    await queries.execute(
      sql`UPDATE recomputations SET done_through = ${frames[399]?.id} WHERE id = ${change}`,
    );
    await markRest(s.ctx, change, new Turn(Number.POSITIVE_INFINITY));
    expect(await marked()).toBe(250);
    expect(await queries.$count(recomputations)).toBe(0);
    const first = await computedAt();
    s.clock.advance(60_000);
    expect(await computedAt()).toBe(first);
  });

  it("are marked in several turns, each of which ends after at least one group", async () => {
    const team = await activityWith(450, 0);
    const { queries } = s.store.database;
    await updateActivity(by(team, queries), await rowOf(activities, team.activity), { name: "Renamed" });
    const isOfTeam = eq(recomputations.activityId, team.activity);
    const [change] = await queries.select().from(recomputations).where(isOfTeam);
    const marked = () =>
      queries.$count(
        timeframes,
        and(eq(timeframes.activityId, team.activity), gt(timeframes.dataVersion, 1)),
      );
    await expect(markRest(s.ctx, change?.id ?? 0, new Turn(0))).rejects.toThrow(TurnEnded);
    expect(await marked()).toBe(400);
    await markRest(s.ctx, change?.id ?? 0, new Turn(0));
    expect(await marked()).toBe(450);
    expect(await queries.$count(recomputations, isOfTeam)).toBe(0);
  });
});

describe("the deliveries of a change to many time frames", () => {
  /** Creates a leased job with 250 deliveries, of which one transaction writes 200. */
  async function fanOutJob(done?: number) {
    const { activity, manager } = await activityWith(1, 10);
    const { queries } = s.store.database;
    const { rows } = await queries.execute<{ id: number }>(
      sql`SELECT id FROM webhooks WHERE activity_id = ${activity}`,
    );
    const payload: FanOut = {
      event: "timeframe-deleted",
      outlives: false,
      webhooks: rows.map(({ id }) => ({
        id: Number(id),
        activityId: activity,
        url: "http://127.0.0.1:9/",
        secretToken: "sealed",
      })),
      subjects: Array.from({ length: 25 }, (_, frame) => [activity, frame + 1]),
    };
    const [job] = await queries
      .insert(jobs)
      .values({
        jobId: `job-fan-out-${activity}`,
        kind: "webhook-fan-out",
        state: "STARTED",
        leaseToken: "ours",
        payload: { ...payload },
        details: done === undefined ? {} : { done },
        chargedTo: manager.id,
        dueAt: new Date(),
        createdAt: new Date(),
      })
      .returning(jobColumns);
    if (job === undefined) throw new Error("No job");
    const isOwn = sql`data->>'activity_id' = ${String(activity)}`;
    return {
      job,
      count: () => queries.$count(webhookDeliveries, isOwn),
      /**
       * Returns the number of deliveries that each transaction inserted, using the transaction id that PostgreSQL stores in the
       * row.
       */
      async perTransaction() {
        const { rows: counts } = await queries.execute<{ count: number }>(
          sql`SELECT count(*)::integer AS count FROM ${webhookDeliveries} WHERE ${isOwn} GROUP BY xmin ORDER BY count(*) DESC`,
        );
        return counts.map(({ count }) => count);
      },
    };
  }

  it("are written by transactions of at most 200", async () => {
    const { job, perTransaction } = await fanOutJob();
    await fanOut(s.ctx, job, new Turn(Number.POSITIVE_INFINITY));
    expect(await perTransaction()).toEqual([200, 50]);
  });

  it("are not counted as unsent if equal ones wait", async () => {
    const { job, count } = await fanOutJob();
    const [turn, isFailed] = [new Turn(Number.POSITIVE_INFINITY), eq(webhookDeliveries.state, "failed")];
    const { queries } = s.store.database;
    const before = await queries.$count(webhookDeliveries, isFailed);
    await fanOut(s.ctx, job, turn);
    await fanOut(s.ctx, { ...job, details: {} }, turn);
    expect([await count(), await queries.$count(webhookDeliveries, isFailed)]).toEqual([250, before]);
  });

  it("are written in several turns, and the end of a turn does not count as a failure", async () => {
    const { job, count } = await fanOutJob();
    const { queries } = s.store.database;
    await expect(fanOut(s.ctx, job, new Turn(0))).rejects.toThrow(TurnEnded);
    expect(await count()).toBe(200);
    vi.spyOn(Turn.prototype, "isOver", "get").mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const isJob = eq(jobs.id, job.id);
    // Otherwise each of the jobs of earlier tests would also take many turns.
    await queries.delete(jobs).where(ne(jobs.id, job.id));
    await queries.update(jobs).set({ state: "PENDING", leaseToken: null }).where(isJob);
    await s.runJobs();
    expect(await count()).toBe(250);
    const [ended] = await queries
      .select({ state: jobs.state, failures: jobs.failures })
      .from(jobs)
      .where(isJob);
    expect(ended).toEqual({ state: "SUCCESS", failures: 0 });
  });

  it("continue at the position where the last worker stopped", async () => {
    const { job, count } = await fanOutJob(200);
    await fanOut(s.ctx, job, new Turn(Number.POSITIVE_INFINITY));
    expect(await count()).toBe(50);
  });
});
