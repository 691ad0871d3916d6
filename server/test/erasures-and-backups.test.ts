/** Tests that erased people remain erased after a backup that contains them is restored. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq, inArray, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { type Reapplied, reapplyErasures } from "../src/domain/deletion/reapply.js";
import { commands } from "../src/operator/commands.js";
import { backup } from "../src/store/backup/backup.js";
import { appendErasure, erasureListOf, personHash, readErasures } from "../src/store/backup/erasure-list.js";
import { restore } from "../src/store/backup/restore.js";
import { whileNoneErases } from "../src/store/connection/advisory-lock.js";
import type { Queries } from "../src/store/connection/database.js";
import { accounts } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { linksTo, placesOf, Scene } from "./personal-data-scene.js";
import { Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";
import { type TestAccount, TestService } from "./service.js";

describe("the list of erasures", () => {
  it("does not contain an account whose deletion failed, because the next start would erase it", async () => {
    const own = await TestService.start(await newStore());
    const { queries } = own.store.database;
    const [athlete, manager] = [await own.athlete(), await own.manager()];
    await queries.execute(sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''refused''; END'`);
    await queries.execute(
      sql`CREATE TRIGGER refuse BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const id = String(athlete.id);
    await expect(commands["athlete erase"](own.ctx, { id, yes: true })).rejects.toThrow();
    for (const { username } of [athlete, manager]) {
      await expect(commands["account delete"](own.ctx, { username })).rejects.toThrow();
    }
    expect(await readErasures(erasureListOf(own.config))).toEqual([]);
    await queries.execute(sql`DROP TRIGGER refuse ON accounts`);
    expect(await commands["account delete"](own.ctx, { username: manager.username })).toMatchObject({
      deleted: true,
    });
    expect(await readErasures(erasureListOf(own.config))).toHaveLength(1);
  });
});

/** Deletes the second account while the first is being deleted, like a concurrent request by its owner. */
const letGoWith = (queries: Queries, first: number, second: number) =>
  queries.execute(
    sql.raw(`CREATE FUNCTION let_go() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN DELETE FROM accounts WHERE id = ${second}; RETURN NULL; END';
      CREATE TRIGGER let_go AFTER DELETE ON accounts FOR EACH ROW WHEN (OLD.id = ${first}) EXECUTE FUNCTION let_go()`),
  );

/** Creates a manager with two managed athletes. The second is deleted during the deletion of the first. */
async function managerLosingAthletes(): Promise<{ own: TestService; manager: TestAccount }> {
  const own = await TestService.start(await newStore());
  const { queries } = own.store.database;
  const manager = await own.manager();
  const managed = await Promise.all([own.athlete(), own.athlete()]);
  const ids = managed.map(({ id }) => id).toSorted((a, b) => a - b);
  await queries.update(accounts).set({ managedBy: manager.id }).where(inArray(accounts.id, ids));
  await letGoWith(queries, ids[0] ?? 0, ids[1] ?? 0);
  return { own, manager };
}

describe("an athlete who is deleted during the deletion of the manager", () => {
  it("does not abort the operator command", async () => {
    const { own, manager } = await managerLosingAthletes();
    const { username } = manager;
    expect(await commands["account delete"](own.ctx, { username })).toMatchObject({ deleted: true });
    expect(await own.store.database.queries.$count(accounts)).toBe(0);
  });

  it("is not mistaken for the manager when erasures are applied again", async () => {
    const { own, manager } = await managerLosingAthletes();
    const { queries } = own.store.database;
    const [row] = await queries.select().from(accounts).where(eq(accounts.id, manager.id));
    if (row === undefined) throw new Error("No manager");
    await appendErasure(erasureListOf(own.config), {
      person: personHash(row),
      at: new Date(),
      kind: "deleted",
    });
    expect(await reapplyErasures(own.ctx)).toEqual({ listed: 1, erased: 1, waiting: 0 });
    expect(await queries.$count(accounts)).toBe(0);
  });
});

describe("a missing list", () => {
  it("is reported at the start if there are accounts, but not at the first start", async () => {
    const processes = await Processes.onNewDatabase();
    const list = join(processes.dataDir, "erasures.jsonl");
    const warned = (output: string) => output.includes("the list of erasures was missing");
    const first = await processes.start();
    await processes.manager(first, "cleo");
    expect(await first.terminate()).toBe(0);
    expect(warned(first.output())).toBe(false);
    const second = await processes.start();
    expect(await second.terminate()).toBe(0);
    expect(warned(second.output())).toBe(false);
    rmSync(list);
    const third = await processes.start();
    expect(warned(third.output())).toBe(true);
    expect(third.output()).toContain(JSON.stringify({ list }).slice(1, -1));
  });
});

describe("an old backup", () => {
  it.runIf(process.env.TEST_DATABASE === "postgres")(
    "is cleaned by one process while the others wait",
    async () => {
      const own = await TestService.start(await newStore());
      const { database } = own.store;
      const athlete = await own.athlete();
      const [row] = await database.queries.select().from(accounts).where(eq(accounts.id, athlete.id));
      if (row === undefined) throw new Error("No athlete");
      await appendErasure(erasureListOf(own.config), {
        person: personHash(row),
        at: new Date(),
        kind: "deleted",
      });
      const waiting = async () =>
        (
          await database.queries.execute(sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
        ).rows.length;
      let both: Promise<Reapplied[]> | undefined;
      await whileNoneErases(database, async () => {
        both = Promise.all([reapplyErasures(own.ctx), reapplyErasures(own.ctx)]);
        await expect.poll(waiting).toBe(2);
        expect(await database.queries.$count(accounts)).toBe(1);
      });
      const erased = (await both)?.map((reapplied) => reapplied.erased);
      expect(erased?.toSorted()).toEqual([0, 1]);
      expect(await database.queries.$count(accounts)).toBe(0);
    },
  );

  it.runIf(process.env.TEST_DATABASE === "embedded")("is cleaned by the restore command", async () => {
    const processes = await Processes.onNewDatabase();
    const folder = newScratchFolder();
    const [file, archive] = [join(folder, "asi.backup"), join(folder, "athlete.zip")];
    const running = await processes.start();
    const { body } = await running.send("POST", "/api/v1/athletes/", undefined, {
      username: "ann",
      email: "ann@example.org",
    });
    const exported = await processes.command("athlete", "export", String(body.id), "-o", archive);
    expect(exported).toEqual({ athlete: body.id, file: archive, bytes: readFileSync(archive).length });
    await processes.command("backup", file);
    const erased = await processes.command("athlete", "erase", String(body.id), "--yes");
    expect(erased).toMatchObject({ athlete: body.id, erased: true, rows: { account: 1 } });
    expect(await running.terminate()).toBe(0);
    expect(await processes.command("restore", file)).toMatchObject({ file, erased_again: 1 });
    const gone = ["athlete", "export", String(body.id), "-o", join(folder, "again.zip")];
    expect(await processes.refusal(gone)).toContain("Not found.");
  });

  it("does not restore erased accounts: they are erased again before the service accepts requests", async () => {
    const first = await TestService.start(await newStore());
    const scene = await Scene.of(first);
    const deleted = await first.athlete();
    const folder = newScratchFolder();
    const file = join(folder, "backup");
    await backup(first.store.database, file, folder);
    expect((await scene.erase()).status).toBe(200);
    const path = `/api/v1/athletes/${deleted.id}/`;
    expect((await first.send("DELETE", path, { token: deleted.token })).status).toBe(204);
    const list = erasureListOf(first.config);
    const lines = readFileSync(list, "utf8").trimEnd().split("\n");
    // The first line names the list; the others are the two people.
    expect(lines).toHaveLength(3);
    expect(readFileSync(list, "utf8")).not.toContain(scene.mark);
    await first.stop();

    await restore(first.store.database.queries, file);
    // A machine without the list restores both people until it gets the list.
    const other = await TestService.start(first.store);
    expect(await placesOf(other, scene.mark)).not.toEqual([]);
    expect((await other.get(path, deleted.token)).status).toBe(200);
    for (const text of ["", "{}", '{"person":"ab']) {
      const wrong = join(folder, "wrong.jsonl");
      writeFileSync(wrong, text);
      const applied = commands["erasures apply"](other.ctx, { list: wrong });
      await expect(applied).rejects.toMatchObject({ code: "not_an_erasure_list" });
    }
    expect(await commands["erasures apply"](other.ctx, { list })).toEqual({
      ...{ listed: 2, erased: 2 },
      recordings_waiting: 0,
    });
    expect(await placesOf(other, scene.mark)).toEqual([]);
    const people = async (of: TestService) =>
      (await readErasures(erasureListOf(of.config))).map(({ person }) => person).sort();
    expect(await people(other)).toEqual(await people(first));
    await other.stop();

    await restore(first.store.database.queries, file);
    const second = await TestService.start(first.store, { dataDir: first.config.dataDir });
    expect(await placesOf(second, scene.mark)).toEqual([]);
    expect(await linksTo(second, scene.id)).toEqual([]);
    expect((await second.get(scene.path, scene.token)).status).toBe(403);
    expect((await second.get(path, deleted.token)).status).toBe(403);
    // The club is unchanged.
    expect((await second.get(`/api/v1/devices/`, scene.team.manager.token)).body.count).toBe(1);
    expect(readFileSync(list, "utf8").trimEnd().split("\n")).toEqual(lines);
    expect(await reapplyErasures(second.ctx)).toEqual({ listed: 2, erased: 0, waiting: 0 });
  });

  it("does not affect a new account that has the id of an erased one", async () => {
    const store = await newStore();
    const first = await TestService.start(store);
    const folder = newScratchFolder();
    const file = join(folder, "backup");
    await backup(store.database, file, folder);
    const gone = await first.athlete();
    const path = `/api/v1/athletes/${gone.id}/`;
    await first.post(`${path}erase/`, { password: gone.password }, gone.token);
    await first.stop();
    await restore(store.database.queries, file);
    const second = await TestService.start(store, { dataDir: first.config.dataDir });
    const person = await second.athlete();
    expect(person.id).toBe(gone.id);
    await second.stop();
    const third = await TestService.start(store, { dataDir: first.config.dataDir });
    expect((await third.get(path, person.token)).status).toBe(200);
  });
});
