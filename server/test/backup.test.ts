import {
  createWriteStream,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { backup, verifyBackup } from "../src/store/backup/backup.js";
import { BackupError, headLine } from "../src/store/backup/backup-file.js";
import { restore } from "../src/store/backup/restore.js";
import { withSnapshot } from "../src/store/backup/snapshot.js";
import { withoutServers } from "../src/store/connection/server-lock.js";
import { migrations } from "../src/store/migrations/index.js";
import { openStore } from "../src/store/open.js";
import { newStore } from "./databases.js";
import { newScratchFolder } from "./scratch.js";
import { TestService } from "./service.js";
import { newActivity } from "./team.js";
import { testConfig } from "./test-config.js";

describe("a backup", () => {
  it("is restored completely into an empty database: rows, bytes and the next values of sequences", async () => {
    const folder = newScratchFolder();
    const file = join(folder, "backup.gz");
    const first = await TestService.start(await newStore());
    const ann = await first.manager({ external_id: "Ä ext" });
    const device = await first.ownedDevice(ann);
    const { clientId, clientSecret } = await first.client();
    const written = await backup(first.store.database, file, folder);
    await first.manager();
    await first.stop();

    const second = await TestService.start(await newStore());
    expect(await restore(second.store.database.queries, file)).toBe(written);
    const { body } = await second.get("/api/v1/account/", ann.token);
    expect(body).toMatchObject({ id: ann.id, external_id: "Ä ext" });
    expect((await second.get(`/api/v1/devices/${device.id}/`, ann.token)).status).toBe(200);
    const login = { grant_type: "password", username: ann.username, password: ann.password };
    const token = await second.token({ ...login, client_id: clientId, client_secret: clientSecret });
    expect(token.status).toBe(200);
    const bob = await second.manager();
    expect(bob.id).toBe(ann.id + 1);
    await second.stop();
    await Promise.all([first.store.close(), second.store.close()]);
  });

  it("is refused if the file is not a backup, and nothing changes", async () => {
    const file = join(newScratchFolder(), "other");
    writeFileSync(file, "not a backup");
    const s = await TestService.start(await newStore());
    const ann = await s.manager();
    await expect(restore(s.store.database.queries, file)).rejects.toThrow("not a backup");
    expect((await s.get("/api/v1/account/", ann.token)).status).toBe(200);
    if (s.store.database.kind === "postgres") {
      expect(await withoutServers(s.store.database, async () => undefined)).toBe(false);
    }
    await s.stop();
    expect(await withoutServers(s.store.database, async () => undefined)).toBe(true);
    await s.store.close();
  });

  it("does not reuse the ids of removed rows", async () => {
    const s = await TestService.start(await newStore());
    const folder = newScratchFolder();
    const owner = await s.manager();
    const hook = (activity: number) =>
      s.store.database.pool.query(
        `INSERT INTO webhooks (activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at)
       VALUES ($1, 'http://127.0.0.1/', 's', true, true, now()) RETURNING id`,
        [activity],
      );
    const activity = await newActivity(s, owner);
    const removed = (await hook(activity)).rows[0].id;
    await s.store.database.pool.query("DELETE FROM webhooks WHERE id = $1", [removed]);
    await backup(s.store.database, join(folder, "b"), folder);
    await restore(s.store.database.queries, join(folder, "b"));
    expect((await hook(activity)).rows[0].id).toBeGreaterThan(removed);
  });

  it.runIf(process.env.TEST_DATABASE === "embedded")(
    "does not remove the copy that another backup reads",
    async () => {
      const config = testConfig();
      const { database, close } = await openStore(config);
      const copies = () => readdirSync(config.dataDir).filter((name) => name.startsWith("copy-"));
      await withSnapshot(database, config.dataDir, async () => {
        await withSnapshot(database, config.dataDir, async () => expect(copies()).toHaveLength(2));
        expect(copies()).toHaveLength(1);
      });
      expect(copies()).toEqual([]);
      await close();
    },
  );

  it("replaces no file, follows no symbolic link, and is readable only by its user", async () => {
    const { database } = await newStore();
    const folder = newScratchFolder();
    const file = join(folder, "backup");
    writeFileSync(file, "mine");
    await expect(backup(database, file, folder)).rejects.toThrow("already exists. Choose another name");
    expect(readFileSync(file, "utf8")).toBe("mine");
    const target = join(folder, "target");
    symlinkSync(target, join(folder, "other.part"));
    await backup(database, join(folder, "other"), folder);
    expect(existsSync(target)).toBe(false);
    expect((statSync(join(folder, "other")).mode & 0o777).toString(8)).toBe("600");
    expect(readdirSync(folder).sort()).toEqual(["backup", "other", "other.part"]);
  });

  it("is refused with a message and not restored if it is truncated or damaged", async () => {
    const s = await TestService.start(await newStore());
    const ann = await s.manager();
    const folder = newScratchFolder();
    const file = join(folder, "backup");
    const rows = await backup(s.store.database, file, folder);
    expect(await verifyBackup(file)).toMatchObject({ rows });
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    await expect(verifyBackup(file)).rejects.toThrow(/^The backup is truncated after \d+ rows/);
    await expect(restore(s.store.database.queries, file)).rejects.toThrow("The backup is truncated");
    const lines = gunzipSync(whole).toString().trimEnd().split("\n");
    writeFileSync(file, gzipSync(`${lines.slice(0, -3).join("\n")}\n`));
    await expect(verifyBackup(file)).rejects.toThrow("The backup is truncated");
    // Some places are in compressed data, whose damage zlib detects, others in a row, whose damage the checksum detects.
    for (const place of [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]) {
      const damaged = Buffer.from(whole);
      damaged.fill(0, Math.trunc(whole.length * place), Math.trunc(whole.length * place) + 8);
      writeFileSync(file, damaged);
      const isTold = /^The backup (is damaged|is truncated after \d+ rows)/;
      await expect(verifyBackup(file)).rejects.toThrow(isTold);
      await expect(restore(s.store.database.queries, file)).rejects.toThrow(isTold);
    }
    writeFileSync(file, "no backup");
    await expect(verifyBackup(file)).rejects.toThrow("The file is not a backup of this service.");
    expect((await s.get("/api/v1/account/", ann.token)).status).toBe(200);
  });

  it("is refused with a message and not restored if it has been modified", async () => {
    const s = await TestService.start(await newStore());
    const ann = await s.manager();
    const file = join(newScratchFolder(), "backup");
    const head = headLine({
      migrations: migrations.map(({ name }) => name),
      serverKeys: [],
      erasureLists: [],
    }).trimEnd();
    const end = '{"end":true}';
    const table = '{"table":"accounts"}';
    for (const [lines, words] of [
      [["null"], "not a backup"],
      [["5"], "not a backup"],
      [['{"format":"asi-server backup 1"}', end], "not a backup"],
      [['{"format":"asi-server backup 1","migrations":5}', end], "not a backup"],
      [[head, '{"id":1}', end], "its first row does not belong to a table"],
      [[head, table, "5", end], "row 1 cannot be read"],
      [
        [head, table, '{"id":"x"}', end],
        "The database refuses one of the rows 1 to 1 of the backup for the table accounts",
      ],
      [[head, table, "{}", end], "of the backup for the table accounts"],
      [[head, '{"sequence":"accounts_id_seq","last_value":9223372036854775807}', end], "accounts_id_seq"],
      [[head, '{"sequence":"accounts_id_seq","last_value":99999999999999999999999}', end], "accounts_id_seq"],
      [[head, end, table], "continues after its last line"],
    ] as const) {
      writeFileSync(file, gzipSync(`${lines.join("\n")}\n`));
      const refused = restore(s.store.database.queries, file);
      await expect(refused).rejects.toThrow(words);
      await expect(refused).rejects.toBeInstanceOf(BackupError);
    }
    expect((await s.get("/api/v1/account/", ann.token)).status).toBe(200);
  });

  it("is refused if a line is too long for the memory, before the whole line is read", async () => {
    const file = join(newScratchFolder(), "backup");
    const head = JSON.stringify({ format: "asi-server backup 1", migrations: [] });
    const mebibyte = Buffer.alloc(1024 * 1024, " ");
    await pipeline(
      function* () {
        yield `${head}\n`;
        for (let count = 0; count < 300; count++) yield mebibyte;
      },
      createGzip({ level: 1 }),
      createWriteStream(file),
    );
    await expect(verifyBackup(file)).rejects.toThrow("a line is longer than 256 MiB");
  });

  it.runIf(process.env.TEST_DATABASE === "postgres")(
    "is not restored while a server runs, even if the server has lost the connection that holds its lock",
    async () => {
      const s = await TestService.start(await newStore());
      const cut = () =>
        s.store.database.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7340002
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
      await cut();
      let isRun = false;
      expect(
        await withoutServers(s.store.database, async () => {
          isRun = true;
        }),
      ).toBe(false);
      expect(isRun).toBe(false);
    },
  );
});
