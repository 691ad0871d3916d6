/** Samples on several servers: moving them there and back, and every statement of the service goes to one server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { commands, type OperatorContext } from "../src/operator/commands.js";
import { backup, restore } from "../src/store/backup.js";
import { migrate } from "../src/store/migrate.js";
import { migrations } from "../src/store/migrations/index.js";
import { planMove } from "../src/store/sample-servers/move.js";
import { serverAddress } from "../src/store/sample-servers/server-address.js";
import { stopAfterTest } from "./cleanup.js";
import { walk } from "./recordings.js";
import { isSpread, storeOn } from "./sample-servers.js";
import { newScratchFolder } from "./scratch.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

const START_MS = Date.parse("2024-03-01T10:00:00Z");
const DAY_MS = 86_400_000;

/** What a device has; in SQL, so that it is the same wherever the samples are. */
const CONTENT =
  "SELECT device_id, bucket, start_ms, stop_ms, n, md5(payload) AS payload FROM sample_chunks ORDER BY 1, 2";

describe.runIf(isSpread)("samples on several servers", () => {
  let store: Awaited<ReturnType<typeof storeOn>>;
  let s: TestService;
  let ann: TestAccount;
  let operator: OperatorContext;
  let file: string;
  let devices: TestDevice[];

  beforeAll(async () => {
    // Not moved yet.
    store = await storeOn([]);
    s = await TestService.startLasting(store, { rawDataCacheBytes: 0, rawRetentionDays: 100_000 });
    operator = { ...s.ctx, database: store.database };
    file = join(newScratchFolder(), "servers.txt");
    writeFileSync(file, `# of the samples\n${inject("sampleServerUrls").join("\n")}\n`);
    ann = await s.manager();
    devices = [];
    for (let i = 0; i < 6; i++) {
      const device = await s.ownedDevice(ann);
      await s.backdate(device, "2020-01-01T00:00:00Z");
      devices.push(device);
      await load(device, 0);
    }
    return async () => {
      await s.stop();
      await store.close();
    };
  });

  async function load(device: TestDevice, day: number, by = s): Promise<void> {
    const start = new Date(START_MS + day * DAY_MS).toISOString();
    const { body } = await by.load(device, ann, await walk(device.serial_number, start, 4_000));
    expect(body.state).toBe("SUCCESS");
  }

  const content = async () => (await s.store.database.pool.query(CONTENT)).rows;
  const distribute = (more = {}) => commands["samples distribute"](operator, { servers: file, ...more });
  const servers = async () => (await commands["samples servers"](operator)).servers as unknown[];

  it("are planned without a change, and without showing a password", async () => {
    const plan = await distribute({ dryRun: true });
    expect(plan).toMatchObject({
      changed: false,
      from: [],
      to: [expect.any(String), expect.any(String), expect.any(String)],
    });
    expect(await servers()).toEqual([]);
    const client = await s.store.database.direct.connect();
    try {
      const url = new URL(inject("sampleServerUrls")[0] ?? "");
      url.password = "not to be seen";
      const shown = JSON.stringify(await planMove(client, [serverAddress(url.href)]));
      expect(shown).toContain("***");
      expect(shown).not.toMatch(/not(%20| )to/);
    } finally {
      client.release();
    }
  });

  it("are moved there and back, while loads go on", async () => {
    const before = await content();
    expect(before.length).toBeGreaterThan(6);
    const { pool } = s.store.database;
    expect((await pool.query("SELECT count(*)::int AS n FROM ONLY sample_chunks")).rows).toEqual([
      { n: before.length },
    ]);
    await distribute();
    expect(await content()).toEqual(before);
    expect(await servers()).toEqual(Array(3).fill(expect.objectContaining({ answers: true })));
    // A second time there is nothing to do.
    expect(await distribute()).toMatchObject({ chunks_copied: 0 });
    const loads = (async () => {
      for (const device of devices) await load(device, 1);
    })();
    expect(await commands["samples gather"](operator, {})).not.toHaveProperty("tables_left");
    await loads;
    expect(await servers()).toEqual([]);
    const loading = (async () => {
      for (const device of devices) await load(device, 2);
    })();
    await distribute();
    await loading;
    const after = await content();
    expect(after.length).toBe(3 * before.length);
    expect(after.reduce((sum, { n }) => sum + n, 0)).toBe(6 * 3 * 4_000);
  });

  it("whose move is interrupted stay in use; the same command goes on, and another can give it up", async () => {
    await commands["samples gather"](operator, {});
    const before = await content();
    const { pool } = s.store.database;
    // What an interruption leaves: the move has begun, and some chunks are copied.
    const stop =
      "CREATE OR REPLACE FUNCTION stop_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.copied > 2 THEN RAISE 'interrupted'; END IF; RETURN NEW; END $$";
    await pool.query(stop);
    await pool.query(`
      CREATE FUNCTION on_state() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF to_regclass('sample_move.state') IS NOT NULL THEN
          EXECUTE 'CREATE OR REPLACE TRIGGER stop_move BEFORE UPDATE ON sample_move.state FOR EACH ROW EXECUTE FUNCTION stop_move()';
        END IF; END $$`);
    await pool.query(
      "CREATE EVENT TRIGGER on_state ON ddl_command_end WHEN TAG IN ('CREATE FUNCTION') EXECUTE FUNCTION on_state()",
    );
    await expect(distribute()).rejects.toThrow("interrupted");
    await pool.query("DROP EVENT TRIGGER on_state");
    expect(await content()).toEqual(before);
    expect((await commands["samples servers"](operator)).move).toMatchObject({
      servers: [expect.any(String), expect.any(String), expect.any(String)],
    });
    await expect(commands["samples gather"](operator, {})).rejects.toThrow("has begun");
    await expect(restore(s.store.database.queries, "nothing")).rejects.toThrow();
    expect(await commands["samples cancel-move"](operator)).toEqual({ cancelled: true });
    expect((await pool.query("SELECT srvname FROM pg_foreign_server")).rows).toEqual([]);
    expect(await content()).toEqual(before);
    await distribute();
    expect(await content()).toEqual(before);
  });

  it("are in a backup, which goes into one database, and one of those goes to several servers", async () => {
    const folder = newScratchFolder();
    const before = await content();
    await backup(s.store.database, join(folder, "spread"), folder);
    const one = await storeOn([]);
    stopAfterTest(() => one.close());
    await restore(one.database.queries, join(folder, "spread"));
    expect((await one.database.pool.query(CONTENT)).rows).toEqual(before);
    await backup(one.database, join(folder, "one"), folder);
    await restore(s.store.database.queries, join(folder, "one"));
    expect(await content()).toEqual(before);
  });

  it("get a column that a migration adds, on every server", async () => {
    const added = {
      name: "9999-added",
      sql: "ALTER TABLE sample_chunks ADD COLUMN added integer",
      onSampleServers: "ALTER TABLE sample_chunks ADD COLUMN added integer",
    };
    const { database } = s.store;
    expect(await migrate(database, { migrations: [...migrations, added] })).toEqual(["9999-added"]);
    await database.pool.query("UPDATE sample_chunks SET added = 7 WHERE device_id = $1", [devices[0]?.id]);
    const { rows } = await database.pool.query("SELECT DISTINCT added FROM sample_chunks ORDER BY 1");
    expect(rows).toEqual([{ added: 7 }, { added: null }]);
    // Again after an interruption between the servers and the database of the service.
    await database.pool.query(
      "DELETE FROM migrations WHERE name = '9999-added'; ALTER TABLE sample_chunks DROP COLUMN added",
    );
    expect(await migrate(database, { migrations: [...migrations, added] })).toEqual(["9999-added"]);
    await database.pool.query("SELECT added FROM sample_chunks");
  });
});
