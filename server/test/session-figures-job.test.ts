/** Tests that a job computes the figures of a session, and that the table of the session can be read meanwhile. */
import { and, eq, ne } from "drizzle-orm";
import { describe, expect, onTestFinished, vi } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { errors } from "../src/domain/change/errors.js";
import { claimFigures } from "../src/domain/sessions/claim-figures.js";
import { computedData, failedFigures, jobs, permissions } from "../src/store/schema.js";
import { addUnreadableChunks } from "./dense-chunks.js";
import { answer } from "./receiver.js";
import { minute, SquadScene, START, type TestPlayer } from "./squad-scene.js";
import { Team } from "./team.js";
import { receiver, withWebhooks } from "./webhook-scene.js";

const it = withWebhooks();

const tableOf = async (scene: SquadScene, session: number, query = "?wait=0") =>
  (await scene.s.get(`/api/v2/sessions/${session}/figures/${query}`, scene.manager.token)).body;

const namesIn = (rows: readonly { player: string; period?: string | null }[]) =>
  rows.filter(({ period }) => period == null).map(({ player }) => player);

describe("the figures of a session", () => {
  it("are computed after its samples have arrived, so the season contains them without a request for the table", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann", "Bob"]);
    const [ann] = scene.players as [TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    const season = async () =>
      (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
    expect((await season()).sessions[0].not_computed).toHaveLength(2);
    await s.runJobs();
    const { sessions, players } = await season();
    expect([sessions[0].id, sessions[0].not_computed]).toEqual([session, []]);
    expect(players[0].entries[0].figures.distance_m).toBeCloseTo(1800, 0);
  });

  it("do not delay the table, which names the players whose figures are being computed", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann", "Bob"]);
    const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    const before = await tableOf(scene, session);
    expect([before.rows, namesIn(before.computing)]).toEqual([[], ["Ann", "Bob"]]);
    await s.runJobs();
    const after = await tableOf(scene, session);
    expect([namesIn(after.rows), after.computing]).toEqual([["Ann", "Bob"], []]);

    await scene.run(bob.device, 0, 10);
    const meanwhile = await tableOf(scene, session);
    expect([namesIn(meanwhile.rows), namesIn(meanwhile.computing)]).toEqual([["Ann"], ["Bob"]]);
    // Bob may have played longer, so the length of the session is unknown.
    expect(meanwhile.rows[0].share_with_data).toBeNull();
    // A request that waits computes the figures itself.
    expect(namesIn((await tableOf(scene, session, "?wait=60")).rows)).toEqual(["Ann", "Bob"]);
    expect((await tableOf(scene, session)).computing).toEqual([]);
  });

  it("do not name a player during their computation if the owner of the session lacks the permission", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann", "Bob"]);
    const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    const { queries } = s.store.database;
    await queries.delete(permissions).where(eq(permissions.athleteId, bob.athlete));
    expect(namesIn((await tableOf(scene, session)).computing)).toEqual(["Ann"]);
  });

  it("precede the results of its time frames, which the same job queues", async ({ hooks: { s } }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    await scene.run(ann.device, 0, 10);
    const [frame] = await scene.frames(await scene.session());
    const { queries } = s.store.database;
    const results = eq(computedData.timeframeId, frame?.id ?? 0);
    const waiting = await queries
      .select({ kind: jobs.kind })
      .from(jobs)
      .where(and(eq(jobs.chargedTo, scene.manager.id), ne(jobs.kind, "derive")));
    expect(waiting.map(({ kind }) => kind)).toEqual(["session-figures"]);
    expect(await queries.$count(computedData, results)).toBe(0);
    await s.runJobs();
    expect(await queries.$count(computedData, results)).toBe(1);
  });

  it("are computed for the other players if those of one player cannot be computed; the table says so until the samples change", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann", "Bob", "Cem", "Dan", "Eva", "Fin"]);
    const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    await scene.run(bob.device, 0, 5);
    const { computer } = s.service;
    const computePlayer = computer.computePlayer.bind(computer);
    const spy = vi.spyOn(computer, "computePlayer").mockImplementation(async (task) => {
      if (task.name === "Ann") throw new Error("damaged");
      return computePlayer(task);
    });
    await s.runJobs();
    const { queries } = s.store.database;
    const ofSessions = eq(jobs.kind, "session-figures");
    const count = await queries.$count(jobs, ofSessions);
    const notComputable = { athlete: ann.athlete, player: "Ann", period: null, reason: "not_computable" };
    // Requests that wait do not compute the figures either.
    for (const query of ["?wait=0", "?wait=60", ""]) {
      const table = await tableOf(scene, session, query);
      expect([namesIn(table.rows), table.computing, table.left_out]).toEqual([
        ["Bob", "Cem", "Dan", "Eva", "Fin"],
        [],
        [notComputable],
      ]);
      // The length of the session is unknown without the time with data of all players.
      expect(
        new Set(table.rows.map((row: { share_with_data: number | null }) => row.share_with_data)),
      ).toEqual(new Set([null]));
    }
    const path = `/api/v2/sessions/${session}/figures/`;
    const csv: string = (await s.get(path, scene.manager.token, { Accept: "text/csv" })).body;
    expect(csv.split("\n").filter((line) => line.endsWith(",not_computable"))).toHaveLength(1);
    expect(await queries.$count(jobs, ofSessions)).toBe(count);
    spy.mockRestore();
    await scene.run(ann.device, 10, 11);
    const changed = await tableOf(scene, session);
    expect([namesIn(changed.computing), changed.left_out]).toEqual([["Ann"], []]);
    await s.runJobs();
    const after = await tableOf(scene, session);
    expect([namesIn(after.rows).length, after.computing, after.left_out]).toEqual([6, [], []]);
  });

  it("are computed after a failure when the job is repeated, or when the table is read an hour later", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    const spy = vi.spyOn(s.service.computer, "computePlayer").mockRejectedValue(new Error("damaged"));
    await s.runJobs();
    expect((await tableOf(scene, session)).left_out).toHaveLength(1);
    const { queries } = s.store.database;
    const hourAgo = new Date(s.ctx.clock.now().getTime() - 3_600_000);
    const ofSession = eq(failedFigures.sessionId, session);
    await queries.update(failedFigures).set({ failedAt: hourAgo }).where(ofSession);
    expect(await tableOf(scene, session)).toMatchObject({ computing: [{ player: "Ann" }], left_out: [] });
    spy.mockRestore();
    await queries.update(failedFigures).set({ failedAt: s.ctx.clock.now() }).where(ofSession);
    expect((await tableOf(scene, session)).left_out).toHaveLength(1);
    await queries
      .update(jobs)
      .set({ dueAt: new Date(0) })
      .where(and(eq(jobs.chargedTo, scene.manager.id), eq(jobs.state, "RETRY")));
    await s.runJobs();
    expect(await tableOf(scene, session)).toMatchObject({ rows: [{ player: "Ann" }], left_out: [] });
    expect(await queries.$count(failedFigures, ofSession)).toBe(0);
  });

  it("are reported after a failure only to those who may read them", async ({ hooks: { s } }) => {
    const scene = await SquadScene.of(s, ["Ann", "Bob"]);
    const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    const spy = vi.spyOn(s.service.computer, "computePlayer").mockRejectedValue(new Error("damaged"));
    await s.runJobs();
    spy.mockRestore();
    const { queries } = s.store.database;
    await queries
      .delete(permissions)
      .where(and(eq(permissions.athleteId, bob.athlete), eq(permissions.permission, "READ")));
    const { left_out } = await tableOf(scene, session);
    expect(left_out).toMatchObject([
      { player: "Bob", reason: "no_read_permission" },
      { player: "Ann", reason: "not_computable" },
    ]);
  });

  it("do not include a player with too many samples, counted over all devices before these are read", async ({
    hooks: { s },
  }) => {
    // Jobs of other tests also compute players.
    const scene = await SquadScene.of(s, ["Dora", "Bob"]);
    const [dora, bob] = scene.players as [TestPlayer, TestPlayer];
    const spare = await scene.device();
    await scene.assign(dora.athlete, spare);
    const end_time = minute(360);
    for (const { id } of [dora.device, spare]) await addUnreadableChunks(s, id, Date.parse(START), 40);
    const session = await scene.session({ end_time });
    await scene.run(bob.device, 0, 10);
    const spy = vi.spyOn(s.service.computer, "computePlayer");
    onTestFinished(() => spy.mockRestore());
    for (const before of [() => undefined, () => s.runJobs(), () => s.clock.advance(2 * 3_600_000)]) {
      await before();
      const { status, body } = await scene.figures(session);
      expect([status, namesIn(body.rows)]).toEqual([200, ["Bob"]]);
      expect(body.left_out).toMatchObject([{ player: "Dora", reason: "not_computable" }]);
    }
    expect(spy.mock.calls.filter(([{ name }]) => name === "Dora")).toEqual([]);
  });

  it("are computed by one job at a time, even if a change adds another one meanwhile", async ({
    hooks: { s },
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const session = await scene.session();
    const { queries } = s.store.database;
    const started = eq(jobs.state, "STARTED");
    const add = async () => {
      const row = { kind: "session-figures", payload: { session }, chargedTo: scene.manager.id };
      const job = await transact(s.ctx, "test", ({ enqueue }) => enqueue(row as never));
      const [added] = await queries
        .select()
        .from(jobs)
        .where(eq(jobs.jobId, job?.jobId ?? ""));
      await queries
        .update(jobs)
        .set({ state: "STARTED" })
        .where(eq(jobs.id, added?.id ?? 0));
      return { id: added?.id ?? 0, chargedTo: scene.manager.id };
    };
    await scene.run(ann.device, 0, 10);
    await s.runJobs();
    const [first, second, third] = [await add(), await add(), await add()];
    const claims = await Promise.all([first, second, third].map((job) => claimFigures(s.ctx, session, job)));
    expect(claims.toSorted()).toEqual(["runs", "waits", "waits"]);
    const running = [first, second, third][claims.indexOf("runs")] ?? first;
    const [waiting, other] = [first, second, third].filter((job) => job !== running);
    // A job that has not ended runs again after a failure.
    expect(await claimFigures(s.ctx, session, running)).toBe("runs");
    await queries
      .update(jobs)
      .set({ state: "RETRY" })
      .where(eq(jobs.id, waiting?.id ?? 0));
    expect(await claimFigures(s.ctx, session, other ?? first)).toBe("is superseded");
    // A waiting job that has failed may never compute the figures.
    const setFailures = (failures: number) =>
      queries
        .update(jobs)
        .set({ failures })
        .where(eq(jobs.id, waiting?.id ?? 0));
    await setFailures(1);
    expect(await claimFigures(s.ctx, session, other ?? first)).toBe("waits");
    await setFailures(0);
    await queries
      .update(jobs)
      .set({ state: "SUCCESS" })
      .where(and(started, eq(jobs.id, running.id)));
    expect(await claimFigures(s.ctx, session, waiting ?? first)).toBe("runs");
  });

  it("are computed eventually, however often too many computations are waiting", async ({ hooks: { s } }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const session = await scene.session();
    const spy = vi.spyOn(s.service.computer, "computePlayer").mockRejectedValue(errors.throttled(1_000));
    await scene.run(ann.device, 0, 10);
    try {
      for (let tries = 0; tries < 6; tries++) {
        await s.runJobs();
        s.clock.advance(60_000);
      }
      expect(spy.mock.calls.length).toBeGreaterThanOrEqual(6);
    } finally {
      spy.mockRestore();
    }
    await s.runJobs();
    const ended = and(eq(jobs.kind, "session-figures"), eq(jobs.chargedTo, scene.manager.id));
    expect(
      (await s.store.database.queries.select().from(jobs).where(ended)).map(({ state }) => state),
    ).toEqual(["SUCCESS"]);
    expect((await tableOf(scene, session)).rows[0].figures.distance_m).toBeCloseTo(1800, 0);
  });

  it("of a time frame without a session are also computed eventually", async ({ hooks: { s } }) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    const spy = vi.spyOn(s.service.computer, "compute").mockRejectedValue(errors.throttled(1_000));
    try {
      for (let tries = 0; tries < 6; tries++) {
        await s.runJobs();
        s.clock.advance(60_000);
      }
      expect(spy.mock.calls.length).toBeGreaterThanOrEqual(6);
    } finally {
      spy.mockRestore();
    }
    await s.runJobs();
    const { queries } = s.store.database;
    expect(await queries.$count(computedData, eq(computedData.timeframeId, frame))).toBe(1);
  });

  it("do not wait in the queue of computations after the response", async ({ hooks: { s } }) => {
    const scene = await SquadScene.of(s, ["Ann", "Bob", "Cem", "Dan"]);
    const [ann] = scene.players as [TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    let release = () => {};
    const held = new Promise<never>((_, reject) => {
      release = () => reject(new Error("ended"));
    });
    const spy = vi.spyOn(s.service.computer, "computePlayer").mockReturnValue(held);
    const { computing } = await tableOf(scene, session, "?wait=1");
    expect(computing).toHaveLength(4);
    const begun = spy.mock.calls.length;
    expect(begun).toBeLessThan(4);
    release();
    // Computations that still waited would begin before the response to another request.
    await tableOf(scene, session);
    expect(spy).toHaveBeenCalledTimes(begun);
    spy.mockRestore();
  });

  it("are reported to webhooks when a job has computed them", async ({ hooks: { s } }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const receiving = await receiver();
    receiving.behaviour = answer(204);
    await scene.send("POST", "/api/v2/webhooks/", { url: receiving.url, events: ["session.computed"] });
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    await s.runJobs();
    expect(receiving.received.map(({ body }) => JSON.parse(body).data)).toEqual([{ session }]);
    expect((await tableOf(scene, session)).computing).toEqual([]);
  });

  it("are refused if the time to wait is not from 0 to 60 seconds", async ({ hooks: { s } }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const session = await scene.session();
    for (const wait of ["61", "-1", "1.5", "soon"]) {
      const { status, body } = await s.get(
        `/api/v2/sessions/${session}/figures/?wait=${wait}`,
        scene.manager.token,
      );
      expect([status, body.errors?.[0]]).toEqual([
        400,
        { field: "wait", detail: "A whole number from 0 to 60 is required." },
      ]);
    }
  });
});
