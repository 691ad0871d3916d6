/** Tests the restore of a backup on another machine, with erased people and the server key. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notInArray } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { encrypt } from "../src/domain/secrets/encryption.js";
import { checkServerKey, serverKeyId } from "../src/domain/secrets/secrets.js";
import { commands } from "../src/operator/commands.js";
import { restoreFrom, verify } from "../src/process/in-process.js";
import { verifyBackup } from "../src/store/backup/backup.js";
import {
  erasureListNames,
  erasureListOf,
  makeErasureList,
  readErasures,
} from "../src/store/backup/erasure-list.js";
import { serverKeyOf } from "../src/store/connection/server-key.js";
import { openStore } from "../src/store/open.js";
import { erasures, webhooks } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { Processes } from "./processes.js";
import { newScene } from "./scene.js";
import { newScratchFolder } from "./scratch.js";
import { TestService } from "./service.js";
import { testConfig } from "./test-config.js";

function fail(): never {
  throw new Error("There is no such row.");
}

describe("a restore", () => {
  it("is refused without a list of erasures, unless an option allows it, and explains the purpose of the list", async () => {
    const source = await TestService.start(await newStore());
    const erased = await source.athlete();
    const file = join(newScratchFolder(), "backup");
    await commands.backup(source.ctx, { file });
    // The start of the service has given the list a name, which the backup contains.
    const names = await erasureListNames(erasureListOf(source.config));
    expect(names).toHaveLength(1);
    expect(await verifyBackup(file)).toMatchObject({ erasureLists: names });
    await source.send("DELETE", `/api/v1/athletes/${erased.id}/`, { token: erased.token });

    const { databaseUrl, close } = await newStore();
    await close();
    const elsewhere = testConfig({ databaseUrl });
    const list = erasureListOf(elsewhere);
    await expect(restoreFrom(elsewhere, file)).rejects.toThrow(
      `There is no list of erasures ${list}: the restore would include accounts that were erased after the backup.`,
    );
    expect(await restoreFrom(elsewhere, file, { withoutErasures: true })).toMatchObject({
      erasure_list: list,
      erasures_listed: 0,
      erased_again: 0,
    });
    // A start of the service creates a list without the erasures on the other machine.
    const { dataDir } = elsewhere;
    await makeErasureList(list);
    await expect(restoreFrom(testConfig({ databaseUrl, dataDir }), file)).rejects.toThrow(
      `The list of erasures ${list} does not belong to the database of the backup, but was created elsewhere`,
    );
    const withList = testConfig({ databaseUrl, erasureList: erasureListOf(source.config) });
    expect(await restoreFrom(withList, file)).toMatchObject({
      erasure_list: erasureListOf(source.config),
      erasures_listed: 1,
      erased_again: 1,
    });
  });

  it("erases again the people whom only the replaced database lists", async () => {
    const source = await TestService.start(await newStore());
    const athlete = await source.athlete();
    const file = join(newScratchFolder(), "backup");
    await commands.backup(source.ctx, { file });
    const list = erasureListOf(source.config);
    const former = readFileSync(list);
    await source.send("DELETE", `/api/v1/athletes/${athlete.id}/`, { token: athlete.token });
    const [erasure] = await readErasures(list);
    // A copy of the list from before the erasure has the same name.
    writeFileSync(list, former);

    const { databaseUrl, close } = await newStore();
    await close();
    const config = testConfig({ databaseUrl, erasureList: list });
    const replaced = await openStore(config);
    await replaced.database.queries.insert(erasures).values(erasure ?? fail());
    await replaced.close();
    expect(await restoreFrom(config, file)).toMatchObject({ erasures_listed: 1, erased_again: 1 });
    expect(await readErasures(list)).toEqual([erasure]);
  });

  it("names the server key that the backup requires, as does --verify; a start with another key logs a warning", async () => {
    const dataDir = newScratchFolder();
    const store = await newStore();
    store.serverKey = serverKeyOf(dataDir);
    const source = await TestService.start(store, { dataDir });
    await newScene(source);
    const before = serverKeyId(store.serverKey);
    const file = join(newScratchFolder(), "backup");
    expect(await commands.backup(source.ctx, { file })).toMatchObject({ server_keys: [before] });
    const { server_key } = await commands["key rotate"](source.ctx, {});
    expect(await verify(file)).toMatchObject({ complete: true, server_keys: [before] });

    const { databaseUrl, close } = await newStore();
    await close();
    const config = testConfig({ databaseUrl, dataDir });
    const restored = await restoreFrom(config, file);
    expect(restored.next).toContain(`require the server key ${before}, but this process has ${server_key}`);
    const opened = await openStore(config);
    const ctx = { ...source.ctx, serverKey: opened.serverKey };
    expect(await checkServerKey(ctx, opened.database.queries)).toEqual({
      isWrong: true,
      text: expect.stringContaining(`not encrypted with the key of this process, ${server_key}`),
    });
    const { queries } = opened.database;
    const backUp = () =>
      commands.backup(
        { ...ctx, database: opened.database, queries },
        { file: join(newScratchFolder(), "backup") },
      );
    expect(await backUp()).toMatchObject({
      server_keys: [],
      next: expect.stringContaining("not encrypted with the key of this process"),
    });
    // New webhooks, whose secrets this key encrypts, do not hide the others. With most of them, the key is that of the backup.
    const others = await queries.select().from(webhooks).orderBy(webhooks.id);
    const ids = others.map((other) => other.id);
    const { id: _, ...webhook } = others[0] ?? fail();
    const add = () =>
      queries.insert(webhooks).values({ ...webhook, secretToken: encrypt(opened.serverKey, "new") });
    for (const { key, count } of [
      { key: [], count: ids.length - 1 },
      { key: [server_key], count: 1 },
    ]) {
      for (let i = 0; i < count; i++) await add();
      const { next, server_keys } = await backUp();
      expect([next, server_keys]).toEqual([
        expect.stringContaining(`of these webhooks: ${ids.join(", ")}.`),
        key,
      ]);
      expect(next).not.toContain("key reset");
    }
    await queries.delete(webhooks).where(notInArray(webhooks.id, ids));
    await opened.close();
    const processes = await Processes.onNewDatabase({ DATABASE_URL: databaseUrl ?? "", DATA_DIR: dataDir });
    expect((await processes.start()).output()).toContain("not encrypted with the key of this process");
  });
});
