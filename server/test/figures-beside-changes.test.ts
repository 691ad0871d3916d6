/**
 * Tests time frames and sessions that a concurrent transaction adds during a change. The change does not see them, but their
 * figures must include it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { and, eq } from "drizzle-orm";
import { describe, expect, vi } from "vitest";
import { updateAccount } from "../src/domain/accounts/write.js";
import { transact } from "../src/domain/change/change.js";
import type { UnitOfWork } from "../src/domain/change/unit-of-work.js";
import { computePlayer } from "../src/domain/sessions/compute-player.js";
import { selectSessions, toSession } from "../src/domain/sessions/rules.js";
import { planOf } from "../src/domain/sessions/wanted-timeframes.js";
import { accounts, assignments, permissions, sessionFigures, sessions } from "../src/store/schema.js";
import { withOwnService } from "./file-service.js";
import type { TestService } from "./service.js";
import { minute, SquadScene, type TestPlayer } from "./squad-scene.js";
import { storeIn, Team } from "./team.js";

const it = withOwnService();

/** A computation that does not wait for a change ends within this time. */
const SHORT_MS = 500;

/** Makes a change, and runs `meanwhile` before it is committed. */
async function beforeCommit<T>(
  s: TestService,
  change: (unit: UnitOfWork) => Promise<void>,
  meanwhile: () => Promise<T>,
): Promise<T> {
  return transact(s.ctx, "test", async (unit) => {
    await change(unit);
    return meanwhile();
  });
}

describe("the figures of a time frame that is added before a change is committed", () => {
  it("include the samples of the change", async ({ service: s }) => {
    const team = await Team.of(s);
    const samples = team.samples(0, 100, 3000, 150);
    const { frame, computing } = await beforeCommit(
      s,
      (unit) => storeIn(unit, team.device.id, samples),
      async () => {
        const frame = await team.frame(0, 600);
        const computing = team.computed(frame);
        await Promise.race([computing, sleep(SHORT_MS)]);
        return { frame, computing };
      },
    );
    expect((await computing).body.total_distance).toBeCloseTo(299.7, 0);
    expect((await team.computed(frame)).body.total_distance).toBeCloseTo(299.7, 0);
  });

  it("include the samples of the change in the table of a session too", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const { session, reading } = await beforeCommit(
      s,
      (unit) => storeIn(unit, ann.device.id, scene.samples(0, 10)),
      async () => {
        const session = await scene.session();
        const reading = scene.figures(session);
        await Promise.race([reading, sleep(SHORT_MS)]);
        return { session, reading };
      },
    );
    await reading;
    expect((await scene.figures(session)).body.rows[0].figures.distance_m).toBeCloseTo(1800, 0);
  });
});

describe("a computation that waits for a change", () => {
  it("continues for other callers when the first one leaves", async ({ service: s }) => {
    const team = await Team.of(s);
    const first = new AbortController();
    const waiting = await beforeCommit(
      s,
      (unit) => storeIn(unit, team.device.id, team.samples(0, 100, 3000, 150)),
      async () => {
        const frame = await team.frame(0, 600);
        const leaving = fetch(`${s.service.url}/api/v1/timeframes/${frame}/computed-data/`, {
          headers: { Authorization: `Bearer ${team.manager.token}` },
          signal: first.signal,
        }).catch(() => undefined);
        await sleep(SHORT_MS);
        const staying = team.computed(frame);
        await sleep(SHORT_MS);
        first.abort();
        await leaving;
        await sleep(SHORT_MS);
        return { staying };
      },
    );
    const { status, body } = await waiting.staying;
    expect(status).toBe(200);
    expect(body.total_distance).toBeCloseTo(299.7, 0);
  });
});

describe("a computation that waits for a change for more than 10 s", () => {
  /** Time by which the clock of the timeout is advanced, ms. */
  const SKIPPED_MS = 11_000;

  /** Lets a computation that waits for a change time out. */
  async function outOfPatience<T>(reading: Promise<T>): Promise<T> {
    await Promise.race([reading, sleep(SHORT_MS)]);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + SKIPPED_MS);
    try {
      return await reading;
    } finally {
      clock.mockRestore();
    }
  }

  it("is refused with a time to retry, and succeeds after the change", async ({ service: s }) => {
    const team = await Team.of(s);
    const { frame, refused } = await beforeCommit(
      s,
      (unit) => storeIn(unit, team.device.id, team.samples(0, 100, 3000, 150)),
      async () => {
        const frame = await team.frame(0, 600);
        return { frame, refused: await outOfPatience(team.computed(frame)) };
      },
    );
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    const { status, body } = await team.computed(frame);
    expect([status, body.total_distance]).toEqual([200, expect.closeTo(299.7, 0)]);
  });

  it("is also refused for the table of a session", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const { session, refused } = await beforeCommit(
      s,
      (unit) => storeIn(unit, ann.device.id, scene.samples(0, 10)),
      async () => {
        const session = await scene.session();
        return { session, refused: await outOfPatience(scene.figures(session)) };
      },
    );
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    expect((await scene.figures(session)).body.rows[0].figures.distance_m).toBeCloseTo(1800, 0);
  });
});

describe("the time frames of a session", () => {
  it("include those of an assignment that is committed after the session was created", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    await s.store.database.queries.delete(assignments).where(eq(assignments.athleteId, ann.athlete));
    const session = await beforeCommit(
      s,
      async ({ queries, announce }) => {
        const [after] = await queries
          .insert(assignments)
          .values({
            ownerId: scene.manager.id,
            deviceId: ann.device.id,
            athleteId: ann.athlete,
            startTime: new Date(minute(0)),
            endTime: new Date(minute(60)),
          })
          .returning();
        if (after !== undefined) await announce("assignmentChanged", { before: null, after });
      },
      () => scene.session(),
    );
    expect(await scene.frames(session)).toEqual([]);
    await s.runJobs();
    expect(await scene.frames(session)).toHaveLength(1);
  });

  it("include those of a device that the owner takes after the session was created", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    await s.release(ann.device, scene.manager);
    const hourMs = 3_600_000;
    const session = await scene.session({
      start_time: new Date(Date.now() + hourMs).toISOString(),
      end_time: new Date(Date.now() + 2 * hourMs).toISOString(),
    });
    await s.runJobs();
    expect(await scene.frames(session)).toEqual([]);
    await s.take(ann.device, scene.manager);
    await s.runJobs();
    expect(await scene.frames(session)).toHaveLength(1);
  });
});

describe("the figures for a player", () => {
  it("use the current birth date if it has changed since the players were read", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    await scene.run(ann.device, 0, 10);
    const id = await scene.session();
    const { queries } = s.store.database;
    const [row] = await selectSessions(queries).where(eq(sessions.activityId, id));
    if (row === undefined) throw new Error("No session");
    const session = toSession(row);
    const plan = await planOf(queries, session, []);
    const [player] = plan.players;
    if (player === undefined) throw new Error("No player");
    const [athlete] = await queries.select().from(accounts).where(eq(accounts.id, ann.athlete));
    if (athlete === undefined) throw new Error("No athlete");
    // The maximum heart rate depends on the birth date.
    await transact(s.ctx, "test", (unit) => updateAccount(unit, athlete, { birthDate: "1954-01-01" }));
    const trimpOf = async (session: number) => (await scene.figures(session)).body.rows[0].figures.trimp;
    await computePlayer({ ...s.ctx, computer: s.service.computer }, session, plan, player, "older inputs");
    const trimp = await trimpOf(id);
    expect(trimp).toBeGreaterThan(0);
    expect(trimp).toBe(await trimpOf(await scene.session()));
  });

  it("do not replace those of the new times of the session if its times have changed meanwhile", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    await scene.run(ann.device, 0, 10);
    const id = await scene.session();
    const { queries } = s.store.database;
    // The time frame then remains when the session changes.
    const isWrite = and(eq(permissions.athleteId, ann.athlete), eq(permissions.permission, "WRITE"));
    await queries.delete(permissions).where(isWrite);
    await scene.completeTable(id);
    const stored = async () =>
      (await queries.select().from(sessionFigures).where(eq(sessionFigures.sessionId, id))).map(
        ({ inputs, periodMs }) => [inputs, periodMs],
      );
    const [row] = await selectSessions(queries).where(eq(sessions.activityId, id));
    if (row === undefined) throw new Error("No session");
    const plan = await planOf(queries, toSession(row), []);
    const [player] = plan.players;
    if (player === undefined) throw new Error("No player");
    const longer = { end_time: minute(70) };
    expect((await scene.send("PATCH", `/api/v2/sessions/${id}/`, longer)).status).toBe(200);
    await scene.completeTable(id);
    const current = await stored();
    expect(current).toMatchObject([[expect.any(String), 70 * 60_000]]);
    await computePlayer(
      { ...s.ctx, computer: s.service.computer },
      toSession(row),
      plan,
      player,
      "older inputs",
    );
    expect(await stored()).toEqual(current);
  });
});
