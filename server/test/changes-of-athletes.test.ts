/** Tests that `/api/v2/changes/` lists athletes and the figures of players when they change. */
import { and, eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, onTestFinished } from "vitest";
import { transact } from "../src/domain/change/change.js";
import type { Change } from "../src/domain/change-feed/resource.js";
import { queueFigures } from "../src/domain/change-log/figures.js";
import { recordRest } from "../src/domain/change-log/figures-rest.js";
import { deletePermissions } from "../src/domain/permissions/remove.js";
import { commands } from "../src/operator/commands.js";
import { queriesOf } from "../src/store/connection/database.js";
import { jobColumns } from "../src/store/queue/job-queue.js";
import { Turn, TurnEnded } from "../src/store/queue/turn.js";
import { accounts, jobs, permissions, timeframes } from "../src/store/schema.js";
import { follow, object } from "./change-reader.js";
import { withOwnService } from "./file-service.js";
import type { TestAccount, TestService } from "./service.js";
import { SquadScene, START } from "./squad-scene.js";

const it = withOwnService();
const DAY_MS = 86_400_000;
const isPostgres = process.env.TEST_DATABASE === "postgres";

describe("figures", () => {
  it("are reported when a player gets another number, name or permission, or loses the device", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players;
    if (ann === undefined) throw new Error("No player");
    s.clock.stopAt(Date.parse(START));
    onTestFinished(() => s.clock.stopAt(Date.now()));
    const session = await scene.session();
    const next = await follow(s, scene.manager);
    const isTold = async () => {
      await s.runJobs();
      expect(await next()).toContainEqual(object("figures", session));
    };
    const { body } = await scene.send("GET", `/api/v2/members/?squad=${scene.squad}`);
    await scene.send("PATCH", `/api/v2/members/${body.results[0].id}/`, { number: 17 });
    await isTold();
    await scene.send("PATCH", `/api/v1/athletes/${ann.athlete}/`, { athlete_profile: { last_name: "Bell" } });
    await isTold();
    const matching = eq(permissions.athleteId, ann.athlete);
    await transact(s.ctx, "test", (unit) => deletePermissions(unit, matching));
    await isTold();
    const { device } = ann;
    await s.store.database.queries.delete(timeframes).where(eq(timeframes.athleteId, ann.athlete));
    expect((await s.release(device, scene.manager)).status).toBe(204);
    await isTold();
  });
});

describe("figures of a player", () => {
  const rename = (scene: SquadScene, athlete: number, athlete_profile: Record<string, unknown>) =>
    scene.send("PATCH", `/api/v1/athletes/${athlete}/`, { athlete_profile });

  /** Creates a player in many sessions without time frames. */
  async function manySessions(s: TestService, count: number) {
    const scene = await SquadScene.of(s, ["Ann"]);
    const athlete = scene.players[0]?.athlete ?? 0;
    const session = await scene.session();
    await s.runJobs();
    const { queries } = s.store.database;
    await queries.execute(sql`
      WITH added AS (
        INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
        SELECT name, json, json_schema_id, owner_id, created_at FROM activities, generate_series(2, ${count}) WHERE id = ${session} RETURNING id
      )
      INSERT INTO sessions (activity_id, squad_id, kind, start_time, end_time)
      SELECT added.id, squad_id, kind, start_time, end_time FROM added, sessions WHERE activity_id = ${session}`);
    await queries.delete(timeframes).where(eq(timeframes.athleteId, athlete));
    await s.runJobs();
    return { scene, athlete };
  }

  it("are not listed if the name of the player is unchanged, and no player is listed without a change", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const athlete = scene.players[0]?.athlete ?? 0;
    await scene.session();
    const next = await follow(s, scene.manager);
    await rename(scene, athlete, { weight: 61 });
    expect(await next()).toEqual([object("athlete", athlete)]);
    await rename(scene, athlete, { weight: 61 });
    const [account] = await s.store.database.queries.select().from(accounts).where(eq(accounts.id, athlete));
    if (account === undefined) throw new Error("No account");
    const after = { ...account, passwordHash: "another" };
    await transact(s.ctx, "test", (unit) => unit.announce("accountUpdated", { before: account, after }));
    expect(await next()).toEqual([]);
  });

  it("are recorded by one job for many sessions, even if the name changes again or the player leaves", async ({
    service: s,
  }) => {
    const count = 450;
    const { scene, athlete } = await manySessions(s, count);
    const { queries } = s.store.database;
    const next = await follow(s, scene.manager);
    const waiting = () =>
      queries.$count(jobs, and(eq(jobs.kind, "record-figures"), eq(jobs.state, "PENDING")));
    const areListed = async (kind: Change["kind"] = "figures") => {
      const listedOf = async () => (await next()).filter((change) => change.kind === kind);
      expect(await waiting()).toBe(1);
      expect(await listedOf()).toEqual([]);
      await s.runJobs();
      const listed = await listedOf();
      expect(new Set(listed.map(({ id }) => id)).size).toBe(count);
      expect(listed).toHaveLength(count);
    };
    await rename(scene, athlete, { last_name: "Bell" });
    await rename(scene, athlete, { last_name: "Best" });
    await areListed();
    const matching = eq(permissions.athleteId, athlete);
    await transact(s.ctx, "test", (unit) => deletePermissions(unit, matching));
    await areListed();
    await commands["athlete erase"](s.ctx, { id: String(athlete), samples: true, yes: true });
    await areListed("session");
  });

  it("are recorded in several steps, each of which records at least one group and continues after the previous one", async ({
    service: s,
  }) => {
    const { scene, athlete } = await manySessions(s, 50);
    const next = await follow(s, scene.manager);
    await rename(scene, athlete, { last_name: "Bell" });
    const { queries } = s.store.database;
    const isOwn = and(eq(jobs.kind, "record-figures"), eq(jobs.state, "PENDING"));
    const [{ id = 0 } = {}] = await queries
      .update(jobs)
      .set({ state: "STARTED", leaseToken: "ours" })
      .where(isOwn)
      .returning({ id: jobs.id });
    const found: string[] = [];
    const logged = queriesOf(s.store.database.pool, {
      logQuery: (text) => void (/range_agg/.test(text) && found.push(text)),
    });
    const turn = async (lengthMs = 0) => {
      const [job] = await queries.select(jobColumns).from(jobs).where(eq(jobs.id, id));
      if (job === undefined) throw new Error("No job");
      const recorded = await recordRest({ ...s.ctx, queries: logged }, job, new Turn(lengthMs)).catch(
        (error: unknown) => {
          if (!(error instanceof TurnEnded)) throw error;
          return "continues";
        },
      );
      const figures = (await next()).filter(({ kind }) => kind === "figures");
      return [recorded, new Set(figures.map(({ id: session }) => session)).size];
    };
    expect([await turn(), await turn(), await turn()]).toEqual([
      ["continues", 20],
      ["continues", 20],
      [{ recorded: 10 }, 10],
    ]);
    // A turn finds the sessions once.
    await queries.update(jobs).set({ details: {} }).where(eq(jobs.id, id));
    found.length = 0;
    expect(await turn(60_000)).toEqual([{ recorded: 50 }, 50]);
    expect(found).toHaveLength(1);
  });

  it.skipIf(!isPostgres)(
    "are recorded after the change, even if a job of an earlier change is due",
    async ({ service: s }) => {
      const scene = await SquadScene.of(s);
      const { queries } = s.store.database;
      const changed = {
        ownerId: scene.manager.id,
        fromMs: Date.parse(START),
        toMs: Date.parse(START) + DAY_MS,
      };
      await transact(s.ctx, "test", (unit) => queueFigures(unit, changed));
      await transact(s.ctx, "test", async (unit) => {
        await queueFigures(unit, changed);
        const { rows } = await queries.execute(
          sql`SELECT id FROM jobs WHERE kind = 'record-figures' AND state = 'PENDING' FOR UPDATE SKIP LOCKED`,
        );
        expect(rows).toEqual([]);
      });
    },
  );
});

describe("athletes", () => {
  const permissionsOf = (athlete: TestAccount, manager: TestAccount) =>
    `/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`;
  const permit = (s: TestService, athlete: TestAccount, manager: TestAccount, start: Date, end: Date) =>
    s.post(
      permissionsOf(athlete, manager),
      { permission: "READ", start_time: start.toISOString(), expiration_time: end.toISOString() },
      athlete.token,
    );

  it("are all reported, once in each page, if many permissions begin or end at the same times", async ({
    service: s,
  }) => {
    s.clock.stopAt(Date.now());
    onTestFinished(() => s.clock.stopAt(Date.now()));
    const manager = await s.manager();
    const athletes = await Promise.all(Array.from({ length: 4 }, () => s.athlete()));
    const startMs = s.clock.now().getTime();
    const { body: begun } = await s.get("/api/v2/changes/", manager.token);
    const minute = fc.integer({ min: 1, max: 4 });
    const [times] = fc.sample(
      fc.array(fc.record({ of: fc.integer({ min: 0, max: 3 }), from: minute, to: minute, copies: minute }), {
        minLength: 20,
        maxLength: 20,
      }),
      1,
    );
    const rows = (times ?? []).flatMap(({ of, from, to, copies }) =>
      Array.from({ length: copies }, () => ({
        athleteId: athletes[of]?.id ?? 0,
        managerId: manager.id,
        permission: "READ" as const,
        startTime: new Date(startMs + from * 60_000),
        expirationTime: new Date(startMs + (from + to) * 60_000),
      })),
    );
    await s.store.database.queries.insert(permissions).values(rows);
    s.clock.stopAt(startMs + 5 * 60_000);
    const atMs = rows.flatMap(({ athleteId, ...row }) =>
      [row.startTime, row.expirationTime].map(
        (time) => `${time.getTime()} ${String(athleteId).padStart(9, "0")}`,
      ),
    );
    const nowMs = s.clock.now().getTime();
    const expected = [...new Set(atMs)].filter((text) => Number(text.split(" ")[0]) <= nowMs).sort();
    const ids: number[] = [];
    for (let next = begun.next_cursor, hasMore = true; hasMore; ) {
      const { body } = await s.get(`/api/v2/changes/?limit=3&cursor=${next}`, manager.token);
      expect(body.results.length).toBeLessThanOrEqual(3);
      ids.push(...body.results.map(({ id }: Change) => Number(id)));
      next = body.next_cursor;
      hasMore = body.has_more;
    }
    // The order is that of the times, and of the athletes at the same time.
    expect(ids).toEqual(expected.map((text) => Number(text.split(" ")[1])));
  });

  it("are reported when their permission is granted, begins, ends, or is withdrawn", async ({
    service: s,
  }) => {
    s.clock.stopAt(Date.now());
    const [manager, athlete] = [await s.manager(), await s.athlete()];
    const next = await follow(s, manager);
    const now = s.clock.now().getTime();
    await permit(s, athlete, manager, new Date(now + 60_000), new Date(now + 120_000));
    expect(await next()).toEqual([object("athlete", athlete.id, true)]);
    s.clock.stopAt(now + 60_000);
    expect(await next(1)).toEqual([object("athlete", athlete.id)]);
    s.clock.stopAt(now + 120_000);
    expect(await next()).toContainEqual(object("athlete", athlete.id, true));
    await permit(s, athlete, manager, new Date(now), new Date(now + DAY_MS));
    expect(await next()).toContainEqual(object("athlete", athlete.id));
    await s.send("DELETE", permissionsOf(athlete, manager), { token: athlete.token });
    expect(await next()).toContainEqual(object("athlete", athlete.id, true));
  });

  it("are not listed after changes if the permission has ended or has not begun", async ({ service: s }) => {
    s.clock.stopAt(Date.now());
    const now = s.clock.now().getTime();
    const [early, late, athlete] = [await s.manager(), await s.manager(), await s.athlete()];
    await permit(s, athlete, early, new Date(now), new Date(now + 60_000));
    await permit(s, athlete, late, new Date(now + DAY_MS / 12), new Date(now + DAY_MS));
    s.clock.stopAt(now + 120_000);
    const [ofEarly, ofLate, own] = [await follow(s, early), await follow(s, late), await follow(s, athlete)];
    const json = { athlete_profile: { first_name: "Cem" } };
    await s.send("PATCH", `/api/v1/athletes/${athlete.id}/`, { token: athlete.token, json });
    expect(await own()).toEqual([object("athlete", athlete.id)]);
    expect([...(await ofEarly()), ...(await ofLate())]).toEqual([]);
    s.clock.stopAt(now + DAY_MS / 12);
    expect(await ofLate()).toEqual([object("athlete", athlete.id)]);
  });

  it("are reported as removed when they are erased", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players;
    await scene.run(ann?.device ?? { id: 0, serial_number: "", device_name: "" }, 0, 1);
    const session = await scene.session();
    const next = await follow(s, scene.manager);
    await commands["athlete erase"](s.ctx, { id: String(ann?.athlete), samples: true, yes: true });
    const told = await next();
    expect(told).toContainEqual(object("athlete", ann?.athlete ?? 0, true));
    expect(told).toContainEqual(object("session", session));
    expect(told).toContainEqual(expect.objectContaining({ kind: "samples", id: ann?.device.id }));
  });
});
