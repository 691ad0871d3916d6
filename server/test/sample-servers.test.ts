/** Tests moving samples to several servers and back, and that every statement of the service uses one server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { commands, type OperatorContext } from "../src/operator/commands.js";
import { backup } from "../src/store/backup/backup.js";
import { restore } from "../src/store/backup/restore.js";
import { openDatabase } from "../src/store/connection/database.js";
import { migrations } from "../src/store/migrations/index.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { sampleServers } from "../src/store/placement/placement.js";
import { SampleDevice } from "../src/store/placement/sample-device.js";
import { serverAddress } from "../src/store/placement/server-address.js";
import { SampleServerWatch } from "../src/store/placement/watch.js";
import { onServer, planMove } from "../src/store/sample-servers/move.js";
import { stopAfterTest } from "./cleanup.js";
import { walk } from "./recordings.js";
import { isSpread, storeOn } from "./sample-servers.js";
import { newScratchFolder } from "./scratch.js";
import { statementsOf } from "./sent-statements.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

const START_MS = Date.parse("2024-03-01T10:00:00Z");
const DAY_MS = 86_400_000;

/** Reads the stored samples in SQL. The result does not depend on their location. */
const CONTENT =
  "SELECT device_id, bucket, start_ms, stop_ms, n, md5(payload) AS payload FROM sample_chunks ORDER BY 1, 2";

// The tests depend on each other: each test starts with the state that the previous one leaves.
describe.runIf(isSpread)("samples on several servers", { shuffle: false }, () => {
  let store: Awaited<ReturnType<typeof storeOn>>;
  let s: TestService;
  let ann: TestAccount;
  let operator: OperatorContext;
  let file: string;
  let devices: TestDevice[];

  async function start(): Promise<void> {
    s = await TestService.startLasting(store, { rawDataCacheBytes: 0, rawRetentionDays: 100_000 });
    operator = { ...s.ctx, database: store.database };
  }

  beforeAll(async () => {
    // The samples have not been moved yet.
    store = await storeOn([]);
    await start();
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

  /** Returns the tables of samples on the servers, including those of other test files. */
  const tablesOnServers = async () => {
    const names =
      "SELECT relname FROM pg_class WHERE starts_with(relname, 'sample_chunks_') AND relkind = 'r' ORDER BY 1";
    const found = inject("sampleServerUrls").map((url) =>
      onServer(url, async (remote) => (await remote.query(names)).rows),
    );
    return (await Promise.all(found)).flat();
  };

  it("are planned without any change and without showing a password", async () => {
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

  it("are moved to the servers and back during loads", async () => {
    const before = await content();
    expect(before.length).toBeGreaterThan(6);
    const { pool } = s.store.database;
    expect((await pool.query("SELECT count(*)::int AS n FROM ONLY sample_chunks")).rows).toEqual([
      { n: before.length },
    ]);
    await distribute();
    expect(await content()).toEqual(before);
    expect(await servers()).toEqual(Array(3).fill(expect.objectContaining({ answers: true })));
    // A second call does nothing.
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

  it("remain in use if their move is interrupted; the same command continues the move, and another one cancels it", async () => {
    await commands["samples gather"](operator, {});
    const before = await content();
    const tables = await tablesOnServers();
    const { pool } = s.store.database;
    // The state after an interruption: the move has begun, and some chunks are copied.
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
    expect(await tablesOnServers()).toEqual(tables);
    await distribute();
    expect(await content()).toEqual(before);
  });

  /** Waits until a move waits for the table. @returns the process id of its session */
  const waitingExchange = async () => {
    const waiting =
      "SELECT pid FROM pg_locks WHERE relation = 'sample_chunks'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted";
    let pid: number | undefined;
    await expect
      .poll(async () => {
        pid = (await s.store.database.pool.query(waiting)).rows[0]?.pid;
        return pid;
      })
      .toBeTypeOf("number");
    return pid;
  };

  it("are moved as they are on the server if a commit was interrupted between the server and the database", async () => {
    await distribute();
    const { pool } = s.store.database;
    const reader = await pool.connect();
    await reader.query("BEGIN; LOCK TABLE sample_chunks IN ACCESS SHARE MODE");
    const cancelled = expect(commands["samples gather"](operator, {})).rejects.toThrow("canceling");
    await pool.query("SELECT pg_cancel_backend($1)", [await waitingExchange()]);
    await cancelled;
    await reader.query("ROLLBACK");
    reader.release();
    // The state after such a commit: the chunk is on the server, but the database has no record of it.
    const holders = await sampleServers(pool);
    const [holder] = holders;
    if (holder === undefined) throw new Error("No server");
    await onServer(holder.url, async (remote) => {
      const table = pg.escapeIdentifier(holder.table);
      await remote.query(`UPDATE ${table} SET n = n + 1, stored_at = now() WHERE bucket % 2 = 0`);
      await remote.query(`DELETE FROM ${table} WHERE bucket % 3 = 0`);
      await remote.query(
        `INSERT INTO ${table} SELECT device_id, bucket + 1000000, start_ms, stop_ms, n, payload, stored_at FROM ${table}`,
      );
    });
    const before = await content();
    await commands["samples gather"](operator, {});
    expect(await content()).toEqual(before);
    await distribute();
  });

  it("are not moved to the database of the service itself or twice to one database; a failed attempt leaves nothing", async () => {
    await commands["samples gather"](operator, {});
    const tables = await tablesOnServers();
    const [first = ""] = inject("sampleServerUrls");
    const attempt = (...urls: string[]) => {
      const wrong = join(newScratchFolder(), "servers.txt");
      writeFileSync(wrong, urls.join("\n"));
      return commands["samples distribute"](operator, { servers: wrong });
    };
    await expect(attempt(first, store.databaseUrl)).rejects.toThrow("contains the database of the service");
    await expect(attempt(first, first.replace("127.0.0.1", "localhost"))).rejects.toThrow("database twice");
    expect(await tablesOnServers()).toEqual(tables);
    await distribute();
  });

  it("are in a backup, which can be restored into one database and then moved to several servers", async () => {
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

  /** Writes a backup, and does the work after its snapshot and before it reads the samples. */
  async function backupAround(work: () => Promise<unknown>): Promise<string> {
    const folder = newScratchFolder();
    const { pool } = s.store.database;
    const holder = await pool.connect();
    await holder.query("BEGIN; LOCK TABLE password_resets");
    const saving = backup(s.store.database, join(folder, "during"), folder);
    await expect
      .poll(async () => {
        const { rows } = await pool.query(
          "SELECT FROM pg_locks WHERE relation = 'password_resets'::regclass AND NOT granted",
        );
        return rows.length;
      })
      .toBe(1);
    await work();
    await holder.query("ROLLBACK");
    holder.release();
    await saving;
    return join(folder, "during");
  }

  async function restored(file: string): Promise<unknown[]> {
    const one = await storeOn([]);
    stopAfterTest(() => one.close());
    await restore(one.database.queries, file);
    return (await one.database.pool.query(CONTENT)).rows;
  }

  it("are all in a backup that began before a move ended", async () => {
    const before = await content();
    let gathering: Promise<unknown> | undefined;
    const file = await backupAround(() => {
      gathering = commands["samples gather"](operator, {});
      return Promise.race([gathering, waitingExchange()]);
    });
    await gathering;
    expect(await restored(file)).toEqual(before);
    await distribute();
  });

  it("are in a backup as they were when it began, so that they belong to the ownerships in it", async () => {
    const before = await content();
    const file = await backupAround(async () => {
      for (const device of devices) await load(device, 9);
    });
    expect(await content()).not.toEqual(before);
    expect(await restored(file)).toEqual(before);
  });

  it("are not reported as unreachable after the number of servers decreases", async () => {
    const [first = ""] = inject("sampleServerUrls");
    const watch = new SampleServerWatch(
      s.store.database.pool,
      () => new pg.Client({ connectionString: store.databaseUrl }),
    );
    await watch.start(s.service.app.log);
    expect(watch.states).toHaveLength(3);
    const one = join(newScratchFolder(), "one.txt");
    writeFileSync(one, first);
    await commands["samples distribute"](operator, { servers: one });
    // Each server is checked once a second.
    await sleep(1_500);
    expect(watch.states.filter(({ problem }) => problem !== undefined)).toEqual([]);
    await watch.stop();
    await distribute();
  });

  it("get the new columns of a migration on every server", async () => {
    const added = {
      name: "9999-added",
      sql: "ALTER TABLE sample_chunks ADD COLUMN added integer",
      onSampleServers: "ALTER TABLE sample_chunks ADD COLUMN added integer",
    };
    const { database } = store;
    // No process of an earlier release may run.
    await s.stop();
    expect(await migrate(database, { migrations: [...migrations, added] })).toEqual(["9999-added"]);
    await database.pool.query("UPDATE sample_chunks SET added = 7 WHERE device_id = $1", [devices[0]?.id]);
    const { rows } = await database.pool.query("SELECT DISTINCT added FROM sample_chunks ORDER BY 1");
    expect(rows).toEqual([{ added: 7 }, { added: null }]);
    // The migration is repeated, as after an interruption between the servers and the database of the service.
    await database.pool.query(
      "DELETE FROM migrations WHERE name = '9999-added'; ALTER TABLE sample_chunks DROP COLUMN added",
    );
    expect(await migrate(database, { migrations: [...migrations, added] })).toEqual(["9999-added"]);
    await database.pool.query("SELECT added FROM sample_chunks");
    // The service of this release continues, although it does not know the migration.
    await database.pool.query("DELETE FROM migrations WHERE name = '9999-added'");
    await start();
  });

  it("are read and written by statements that use one server each, in any plan", async () => {
    const { databaseUrl, serverKey } = store;
    const device = devices[0] as TestDevice;
    const path = `/api/v1/devices/${device.id}`;
    const range = new URLSearchParams({ start: String(START_MS + 1), stop: String(START_MS + 3_600_000) });
    const read = async (of: TestService, where: string) => {
      const { status, body } = await of.get(`${path}/${where}`, ann.token);
      expect([where, status, body.detail]).toEqual([where, 200, undefined]);
    };
    const sent = await statementsOf(async () => {
      // Connect again, because only statements on new connections are recorded.
      const database = await openDatabase({ url: databaseUrl, poolSize: 6 });
      // This closes the database after the service has been stopped.
      stopAfterTest(() => database.close());
      const other = await TestService.start(
        { database, serverKey, close: () => database.close() },
        { rawDataCacheBytes: 0 },
      );
      const { ctx, computing } = other;
      await load(device, 5, other);
      await load(device, 5, other);
      // Half of the recording overlaps an existing one, so it replaces chunks.
      const half = new Date(START_MS + 5 * DAY_MS + 200_000).toISOString();
      await other.load(device, ann, await walk(device.serial_number, half, 4_000));
      for (const page of [1, 2]) {
        await read(other, `raw-data/?${range}&limit=300&page=${page}`);
        await read(other, `preprocessed-data/?${range}&limit=300&page=${page}`);
      }
      await read(other, `preprocessed-data-ranges/?${range}`);
      for (const size of [1, 300]) await read(other, `latest-preprocessed-data/?size=${size}`);
      await read(other, `latest-timestamp/`);
      const times = { serialNumber: device.serial_number, start: new Date(START_MS + 100_000).toISOString() };
      await commands["samples delete"](ctx, { ...times, stop: new Date(START_MS + 700_000).toISOString() });
      await other.release(device, ann);
      const { rawRetentionDays } = computing.config;
      await applyRetention({
        ...computing,
        config: { ...computing.config, rawRetentionDays: 0 },
        clock: { now: () => new Date(Date.now() + 1_000) },
      });
      expect(rawRetentionDays).toBeGreaterThan(0);
    });
    const onSamples = [...sent].filter(
      ([text]) =>
        /\bsample_chunks\b/.test(text) && !/pg_inherits|pg_partition_tree|advisory|^VACUUM/.test(text),
    );
    // These are statements of loads, pages, ranges, newest samples, deletions, quotas and retention.
    expect(onSamples.length, onSamples.map(([text]) => text).join("\n")).toBeGreaterThan(10);
    const client = new pg.Client(operator.database.pool.options.connectionString ?? "");
    await client.connect();
    stopAfterTest(() => client.end());
    for (const [text, [first]] of onSamples) {
      // The first parameter is the device, which shows whether a statement is for an unreachable server.
      expect(first, text).toBeInstanceOf(SampleDevice);
      expect(text).toMatch(/device_id = \$1|SELECT \$1::bigint/);
      for (const plan of await plansOf(client, text, device.id)) {
        const foreign = plan.filter((line) => /Foreign (Scan|Update|Delete|Insert) on/.test(line));
        const partitions = new Set(foreign.map((line) => /sample_chunks_\d+/.exec(line)?.[0]));
        // An INSERT finds its partition row by row.
        expect(partitions.size, plan.join("\n")).toBe(/^\s*INSERT/.test(text) ? 0 : 1);
      }
    }
  });

  /** Returns the custom and the generic plan of a statement, as lines. */
  async function plansOf(client: pg.Client, text: string, device: number): Promise<string[][]> {
    const plans: string[][] = [];
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await client.query(`SET plan_cache_mode = ${mode}`);
      await client.query(`PREPARE statement AS ${text}`);
      const { rows: types } = await client.query<{ types: string[] }>(
        "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'statement'",
      );
      const values = (types[0]?.types ?? []).map((type, i) => {
        if (i === 0) return String(device);
        if (type.endsWith("[]")) return `'{1,2}'::${type}`;
        return type === "text" ? "''" : type.startsWith("timestamp") ? "now()" : "1";
      });
      const { rows } = await client.query(`EXPLAIN EXECUTE statement (${values.join(", ")})`);
      plans.push(rows.map((row) => row["QUERY PLAN"]));
      await client.query("DEALLOCATE statement");
    }
    return plans;
  }
});
