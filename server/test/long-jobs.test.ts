/** Tests that long jobs take turns, and that repeated changes do not add more jobs. */
import { and, eq } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { deriveSessions } from "../src/domain/sessions/derive-rest.js";
import { type QueuedDerivation, queueDerivation } from "../src/domain/sessions/derive-sessions.js";
import { queriesOf } from "../src/store/connection/database.js";
import { Turn } from "../src/store/queue/turn.js";
import { assignments, jobs, sessionTimeframes } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { minute, SquadScene, type TestPlayer } from "./squad-scene.js";

const derivations = async (s: TestService, ownerId: number) => {
  const rows = await s.store.database.queries
    .select({ state: jobs.state, payload: jobs.payload, failures: jobs.failures })
    .from(jobs)
    .where(and(eq(jobs.kind, "derive"), eq(jobs.chargedTo, ownerId)));
  return rows.map((row) => ({ ...row, payload: row.payload as unknown as QueuedDerivation }));
};
const waiting = async (s: TestService, ownerId: number) =>
  (await derivations(s, ownerId)).filter(({ state }) => state === "PENDING");

it("a derivation ends its turn after a session, and another job continues with the next session", async () => {
  const s = await service();
  const scene = await SquadScene.of(s, ["Ann"]);
  const sessions = [await scene.session(), await scene.session(), await scene.session()];
  await s.runJobs();
  const { queries } = s.store.database;
  await queries.delete(sessionTimeframes);
  const all = { ownerId: scene.manager.id, fromMs: Date.parse(minute(0)), toMs: Date.parse(minute(90)) };
  expect(await deriveSessions(s.ctx, all, new Turn(0))).toEqual({
    sessions: 1,
    refused: [],
    continues: true,
  });
  expect(await waiting(s, scene.manager.id)).toMatchObject([
    { payload: { ...all, after: sessions[0], until: 0 } },
  ]);
  await s.runJobs();
  expect(await waiting(s, scene.manager.id)).toEqual([]);
  const derived = await queries.selectDistinct({ id: sessionTimeframes.sessionId }).from(sessionTimeframes);
  expect(derived.map(({ id }) => id).sort((a, b) => a - b)).toEqual(sessions);
});

it("a derivation counts the time frames of the account and of a device once, again before it refuses a later session, and those that it adds and deletes", async () => {
  const s = await service();
  const scene = await SquadScene.of(s, ["Ann"]);
  const sessions = [await scene.session(), await scene.session(), await scene.session()];
  await s.runJobs();
  const counts: string[] = [];
  const { queries, pool } = s.store.database;
  const logged = queriesOf(pool, {
    logQuery(text) {
      if (/count.*"timeframes"."owner_id"/.test(text)) counts.push("account");
      if (/having count/.test(text)) counts.push("device");
    },
  });
  /** Replaces the tracker, so that the time frame of each session is replaced. */
  const refusedWith = async (quotaTimeframes: number) => {
    const { id: deviceId } = await scene.device();
    await queries.update(assignments).set({ deviceId }).where(eq(assignments.ownerId, scene.manager.id));
    const ctx = { ...s.ctx, queries: logged, config: { ...s.ctx.config, quotaTimeframes } };
    const all = { ownerId: scene.manager.id, fromMs: Date.parse(minute(0)), toMs: Date.parse(minute(90)) };
    counts.length = 0;
    const { refused } = await deriveSessions(ctx, all, new Turn(60_000));
    return [counts.toSorted(), refused];
  };
  expect(await refusedWith(3)).toEqual([["account", "device"], []]);
  expect(await refusedWith(2)).toEqual([["account", "device"], [sessions[0]]]);
  const left = await Promise.all(sessions.map((id) => scene.frames(id)));
  expect(left.map((frames) => frames.length)).toEqual([0, 1, 1]);
  expect(await refusedWith(1)).toEqual([
    ["account", "account", "device"],
    [sessions[0], sessions[1]],
  ]);
});

it("a job that ends its turn does not count as failed", async () => {
  const s = await service();
  vi.spyOn(Turn.prototype, "isOver", "get").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const scene = await SquadScene.of(s, ["Ann", "Bob"]);
  for (let i = 0; i < 4; i++) await scene.session();
  const [ann] = scene.players as [TestPlayer];
  await scene.send("POST", "/api/v2/assignments/", {
    athlete: ann.athlete,
    device: (await s.ownedDevice(scene.manager)).id,
    start_time: minute(-100),
    end_time: minute(-50),
  });
  await s.runJobs();
  const ended = await derivations(s, scene.manager.id);
  expect(ended.length).toBeGreaterThan(0);
  expect(new Set(ended.map(({ state, failures }) => `${state} ${failures}`))).toEqual(new Set(["SUCCESS 0"]));
});

it("at most one derivation waits for each player, with the times of all permissions", async () => {
  const s = await service();
  const scene = await SquadScene.of(s, ["Ann"]);
  const athlete = await s.athlete();
  await scene.join(athlete.id, {}, 7);
  await s.runJobs();
  const permissions = Array.from({ length: 50 }, (_, i) => ({
    permission: "WRITE",
    start_time: minute(i),
    expiration_time: minute(100 + i),
  }));
  const path = `/api/v1/athletes/${athlete.id}/managers/${scene.manager.id}/permissions/`;
  expect((await s.post(path, permissions, athlete.token)).status).toBe(200);
  expect((await waiting(s, scene.manager.id)).map(({ payload }) => payload)).toMatchObject([
    { athleteId: athlete.id, fromMs: Date.parse(minute(0)), toMs: Date.parse(minute(149)), after: 0 },
  ]);
});

describe("a derivation during which changes arrive", () => {
  const COUNT = 6;
  const TURNS = fc.array(fc.record({ length: fc.integer({ min: 1, max: 4 }), isChanged: fc.boolean() }), {
    minLength: 1,
    maxLength: 15,
  });

  /** Returns a turn that ends after a number of sessions. */
  const turnOf = (length: number) => {
    let derived = 0;
    return {
      get isOver() {
        derived += 1;
        return derived >= length;
      },
    } as Turn;
  };

  it("derives each session after each change, within two rounds of all sessions, and ends after the last change", async () => {
    const s = await service();
    const scene = await SquadScene.of(s, ["Ann"]);
    const sessions: number[] = [];
    for (let i = 0; i < COUNT; i++) sessions.push(await scene.session());
    await s.runJobs();
    const { queries } = s.store.database;
    const ofSquad = {
      ...{ ownerId: scene.manager.id, squadId: scene.squad },
      ...{ fromMs: Date.parse(minute(0)), toMs: Date.parse(minute(90)) },
    };
    const changeNow = () => transact(s.ctx, "test", (unit) => queueDerivation(unit, ofSquad));
    /** Runs a turn of the waiting job. @returns the derived sessions; undefined if no job waits */
    const run = async (length: number, during: () => Promise<void>) => {
      const [job] = await queries
        .update(jobs)
        .set({ state: "STARTED" })
        .where(and(eq(jobs.kind, "derive"), eq(jobs.state, "PENDING")))
        .returning();
      if (job === undefined) return undefined;
      await during();
      await queries.delete(sessionTimeframes);
      await deriveSessions(s.ctx, job.payload as unknown as QueuedDerivation, turnOf(length));
      await queries.delete(jobs).where(eq(jobs.id, job.id));
      const derived = await queries
        .selectDistinct({ id: sessionTimeframes.sessionId })
        .from(sessionTimeframes);
      return derived.map(({ id }) => id);
    };
    const property = fc.asyncProperty(TURNS, async (turns) => {
      await changeNow();
      // For each change, the sessions that have not been derived since.
      const changes = [{ left: new Set(sessions), derived: 0 }];
      for (let at = 0; changes.some(({ left }) => left.size > 0); at++) {
        const { length = COUNT, isChanged = false } = turns[at] ?? {};
        const before = [...changes];
        const derived = await run(length, async () => {
          if (!isChanged) return;
          await changeNow();
          changes.push({ left: new Set(sessions), derived: 0 });
        });
        if (derived === undefined) throw new Error("No job waits although sessions are left");
        for (const change of before) {
          // A change during a turn may miss the sessions of this turn.
          for (const id of derived) change.left.delete(id);
          change.derived += derived.length;
          if (change.derived >= 2 * COUNT) expect([...change.left]).toEqual([]);
        }
      }
      while ((await run(COUNT, async () => undefined)) !== undefined);
    });
    await fc.assert(property, { numRuns: 30 });
  });
});
