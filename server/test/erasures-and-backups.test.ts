/** Erasures outlive a backup, which brings the erased back. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { reapplyErasures } from "../src/domain/deletion/reapply.js";
import { commands } from "../src/operator/commands.js";
import { backup, restore } from "../src/store/backup.js";
import { erasureListOf, readErasures } from "../src/store/erasure-list.js";
import { linksTo, placesOf, Scene } from "./personal-data-scene.js";
import { Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";
import { newStore, TestService } from "./service.js";

describe("the list of erasures", () => {
  it("does not name an account whose deletion fails, which the next start would erase", async () => {
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

describe("an old backup", () => {
  it.runIf(process.env.TEST_DATABASE === "embedded")(
    "is cleaned by the command that restores it",
    async () => {
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
    },
  );

  it("does not bring back the erased: they are erased again before the service answers", async () => {
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
    expect(lines).toHaveLength(2);
    expect(readFileSync(list, "utf8")).not.toContain(scene.mark);
    await first.stop();

    await restore(first.store.database.queries, file);
    // A machine that has no list brings them back, until it gets one.
    const other = await TestService.start(first.store);
    expect(await placesOf(other, scene.mark)).not.toEqual([]);
    expect((await other.get(path, deleted.token)).status).toBe(200);
    expect(await commands["erasures apply"](other.ctx, { list })).toEqual({ listed: 2, erased: 2 });
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
    // The club is as it was.
    expect((await second.get(`/api/v1/devices/`, scene.team.manager.token)).body.count).toBe(1);
    expect(readFileSync(list, "utf8").trimEnd().split("\n")).toEqual(lines);
    expect(await reapplyErasures(second.ctx)).toEqual({ listed: 2, erased: 0 });
  });

  it("does not harm a new person who got the id of an erased one", async () => {
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
