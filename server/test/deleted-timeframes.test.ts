/** Tests what a deletion of time frames changes in their sessions, and deletions that do not reach their end. */
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { follow } from "./change-reader.js";
import { startService, type TestService } from "./service.js";
import { half, minute, putPeriods, type SquadScene, squadWithSession } from "./squad-scene.js";
import { newActivity } from "./team.js";

let s: TestService;
beforeAll(async () => {
  s = await startService();
});

/** A session with a period, whose figures are computed. */
async function played() {
  const made = await squadWithSession(s, "Ann", "Bob");
  const { scene, session, path, first, second } = made;
  for (const { device } of [first, second]) await scene.run(device, 0, 10);
  await putPeriods(scene, path, [
    half(),
    half({ name: "Extra", start_time: minute(30), end_time: minute(40) }),
  ]);
  await scene.completeTable(session);
  expect(await namesInSeason(scene)).toEqual(["Ann", "Bob"]);
  return made;
}

const namesInSeason = async (scene: SquadScene): Promise<string[]> => {
  const { body } = await scene.send("GET", `/api/v2/squads/${scene.squad}/season/`);
  return body.players.map(({ player }: { player: string }) => player);
};

it("the deletion of a session computes none of its figures", async () => {
  const { scene, session } = await played();
  await s.runJobs();
  expect((await scene.send("DELETE", `/api/v2/sessions/${session}/`)).status).toBe(204);
  const { rows } = await s.store.database.queries.execute(
    sql`SELECT kind FROM jobs WHERE kind = 'session-figures' AND state = 'PENDING'`,
  );
  expect(rows).toEqual([]);
});

describe("the season contains a session again, without a request for its table, after", () => {
  it("a change has only deleted time frames", async () => {
    const { scene, session, path } = await played();
    expect((await putPeriods(scene, path, [half()])).status).toBe(200);
    expect(await scene.frames(session)).toHaveLength(4);
    await s.runJobs();
    expect(await namesInSeason(scene)).toEqual(["Ann", "Bob"]);
  });

  it("version 1 has deleted a time frame", async () => {
    const { scene, session } = await played();
    const frame = (await scene.frames(session)).at(-1);
    expect((await scene.send("DELETE", `/api/v1/timeframes/${frame?.id}/`)).status).toBe(204);
    await s.runJobs();
    expect(await namesInSeason(scene)).toEqual(["Ann", "Bob"]);
  });

  it("an activity to which version 1 had moved a time frame has been deleted, and the readers are told", async () => {
    const { scene, session } = await played();
    const activity = await newActivity(s, scene.manager);
    const frame = (await scene.frames(session)).at(-1);
    const moved = await scene.send("PATCH", `/api/v1/timeframes/${frame?.id}/`, { activity });
    expect(moved.status).toBe(200);
    await scene.completeTable(session);
    const changes = await follow(s, scene.manager);
    expect((await scene.send("DELETE", `/api/v1/activities/${activity}/`)).status).toBe(204);
    expect(await changes()).toContainEqual(expect.objectContaining({ kind: "session", id: session }));
    await s.runJobs();
    expect(await namesInSeason(scene)).toEqual(["Ann", "Bob"]);
  });
});

describe("the deletion of a session with many time frames", () => {
  /** A session with 122 time frames, which a deletion removes in two transactions. */
  async function many() {
    const made = await squadWithSession(s, "Ann", "Bob");
    const { scene, path, session } = made;
    const rows = Array.from({ length: 60 }, (_, at) =>
      half({ name: `Drill ${at}`, start_time: minute(at), end_time: minute(at + 1) }),
    );
    expect((await putPeriods(scene, path, rows)).status).toBe(200);
    await s.runJobs();
    expect(await count(session)).toBe(122);
    return made;
  }

  const count = async (session: number): Promise<number> => {
    const { rows } = await s.store.database.queries.execute<{ n: number }>(
      sql`SELECT count(*)::int AS n FROM session_timeframes WHERE session_id = ${session}`,
    );
    return rows[0]?.n ?? 0;
  };

  /** Executes a statement of the database when the time frames of a transaction have been deleted. */
  async function afterDeletion(session: number, statement: string): Promise<() => Promise<unknown>> {
    const { queries } = s.store.database;
    const name = sql.raw(`between_${session}`);
    await queries.execute(sql`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${sql.raw(statement)}; RETURN NULL; END $$`);
    await queries.execute(
      sql`CREATE TRIGGER ${name} AFTER DELETE ON timeframes FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
    );
    return () => queries.execute(sql`DROP TRIGGER ${name} ON timeframes`);
  }

  it.each<[string, (of: { session: number; manager: number }) => string]>([
    [
      "is not refused because of another change meanwhile",
      ({ session }) => `UPDATE activities SET version = version + 1 WHERE id = ${session}`,
    ],
    [
      "is not refused because of the caller's rights meanwhile",
      ({ manager }) => `UPDATE accounts SET disabled_at = now() WHERE id = ${manager}`,
    ],
  ])("%s", async (_, statement) => {
    const { scene, session, path } = await many();
    const { etag = "" } = Object.fromEntries((await scene.send("GET", path)).headers);
    const end = await afterDeletion(session, statement({ session, manager: scene.manager.id }));
    const { status } = await scene.send("DELETE", path, undefined, { "If-Match": etag });
    await end();
    expect(status).toBe(204);
    expect(await count(session)).toBe(0);
  });

  it("can be interrupted: the time frames are derived again later", async () => {
    const { scene, session, path } = await many();
    const end = await afterDeletion(
      session,
      `IF (SELECT count(*) FROM session_timeframes WHERE session_id = ${session}) < 22 THEN
        RAISE EXCEPTION 'interrupted' USING ERRCODE = 'admin_shutdown'; END IF`,
    );
    const { status } = await scene.send("DELETE", path);
    await end();
    expect([status, await count(session)]).toEqual([503, 22]);
    expect((await scene.send("GET", path)).body.computing).toBe(true);
    await s.runJobs();
    expect(await count(session)).toBe(22);
    s.clock.advance(300_000);
    await s.runJobs();
    expect(await count(session)).toBe(122);
    expect((await scene.send("DELETE", path)).status).toBe(204);
    s.clock.advance(300_000);
    await s.runJobs();
  });
});
