/** Tests that jobs which compute the figures of sessions take turns. */
import { and, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Config } from "../src/config/config.js";
import { Turn } from "../src/store/queue/turn.js";
import { jobs, sessionFigures } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";
import { SquadScene, type TestPlayer } from "./squad-scene.js";

// Use a separate database, because these tests change the threads of a service.
let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore());
});

const SIX = ["Ann", "Bob", "Cem", "Dan", "Eva", "Fin"];

/** Creates a session whose job waits. */
async function waitingSession(prefix = "") {
  const scene = await SquadScene.of(
    s,
    SIX.map((name) => prefix + name),
  );
  const session = await scene.session();
  const [first] = scene.players;
  if (first !== undefined) await scene.run(first.device, 0, 5);
  return { scene, session };
}

/** Runs the jobs with turns that end immediately. @returns the players whose figures were computed, in order */
async function computedBy(settings: Partial<Config>, damaged: readonly string[] = []) {
  const service = await TestService.start(s.store, settings);
  onTestFinished(() => service.stop());
  vi.spyOn(Turn.prototype, "isOver", "get").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const { computer } = service.service;
  const computePlayer = computer.computePlayer.bind(computer);
  const names: string[] = [];
  vi.spyOn(computer, "computePlayer").mockImplementation(async (task) => {
    names.push(task.name);
    if (damaged.includes(task.name)) throw new Error("damaged");
    return computePlayer(task);
  });
  await service.runJobs();
  return names;
}

const jobOf = async ({ scene }: Awaited<ReturnType<typeof waitingSession>>) => {
  const [job] = await s.store.database.queries
    .select()
    .from(jobs)
    .where(and(eq(jobs.kind, "session-figures"), eq(jobs.chargedTo, scene.manager.id)));
  return job;
};

describe("jobs that compute the figures of sessions", () => {
  it("take turns, so that a session does not wait for all players of another one", async () => {
    const first = await waitingSession("A ");
    const second = await waitingSession("B ");
    const names = await computedBy({ jobConcurrency: 1 });
    expect([...names].sort()).toEqual([...SIX.map((name) => `A ${name}`), ...SIX.map((name) => `B ${name}`)]);
    // Four players are computed at the same time.
    expect(names.map((name) => name[0]).join("")).toMatch(/^(A{4}B{4}A{2}B{2}|B{4}A{4}B{2}A{2})$/);
    for (const one of [first, second])
      expect(await jobOf(one)).toMatchObject({ state: "SUCCESS", failures: 0 });
  });

  it("compute each player once, even if the figures exceed the quota of the account and are not stored", async () => {
    const waiting = await waitingSession();
    expect((await computedBy({ quotaFigures: 0 })).sort()).toEqual(SIX);
    const { queries } = s.store.database;
    expect(await queries.$count(sessionFigures, eq(sessionFigures.sessionId, waiting.session))).toBe(0);
    expect(await jobOf(waiting)).toMatchObject({ state: "SUCCESS", failures: 0 });
  });

  it("are repeated after the last turn if the figures of a player could not be computed in an earlier one", async () => {
    const waiting = await waitingSession();
    expect((await computedBy({}, ["Ann"])).sort()).toEqual(SIX);
    const failed = await jobOf(waiting);
    expect(failed).toMatchObject({ state: "RETRY", failures: 1 });
    const { queries } = s.store.database;
    await queries
      .update(jobs)
      .set({ dueAt: new Date(0) })
      .where(eq(jobs.id, failed?.id ?? 0));
    vi.restoreAllMocks();
    // The others are stored.
    expect(await computedBy({})).toEqual(["Ann"]);
    expect(await jobOf(waiting)).toMatchObject({ state: "SUCCESS", failures: 1 });
  });

  it("and of time frames wait for room for the samples before these are read", async () => {
    const { scene } = await waitingSession();
    const [ann] = scene.players as [TestPlayer];
    const { computer } = s.service;
    const entered: number[] = [];
    const share = computer.share.bind(computer);
    const spy = vi.spyOn(computer, "share").mockImplementation((key, waiter, work) =>
      share(key, waiter, async (enter) =>
        work(async (samples) => {
          if (samples > 0) entered.push(samples);
          await enter(samples);
          // Damaged samples are an error when they are read.
          await s.store.database.queries.execute(
            sql`UPDATE sample_chunks SET payload = '\\x00' WHERE device_id = ${ann.device.id}`,
          );
        }),
      ),
    );
    onTestFinished(() => spy.mockRestore());
    await s.runJobs();
    // Five minutes at 10 Hz. The result of the time frame is computed although the figures of the session have failed.
    expect(entered).toEqual([3_000, 3_000]);
    const failed = await s.store.database.queries
      .select({ kind: jobs.kind })
      .from(jobs)
      .where(and(eq(jobs.chargedTo, scene.manager.id), eq(jobs.failures, 1)));
    expect(failed.map(({ kind }) => kind).sort()).toEqual(["compute", "session-figures"]);
  });
});
