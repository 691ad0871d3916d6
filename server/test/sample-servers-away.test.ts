/** Tests a sample server that becomes unreachable and returns: requests for its devices get 503, and others are not affected. */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import pg from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { UsageError } from "../src/config/usage-error.js";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { withCommands } from "../src/process/in-process.js";
import { sampleServers } from "../src/store/placement/placement.js";
import { SampleServerWatch } from "../src/store/placement/watch.js";
import type { PostgresServer } from "./postgres.js";
import { walk } from "./recordings.js";
import { deviceOnEach, isSpread, serverOfDevice, startServers, storeOn } from "./sample-servers.js";
import { newScratchFolder } from "./scratch.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";
import { testConfig } from "./test-config.js";

const PATIENCE = { timeout: 90_000, interval: 200 };
const START_MS = Date.parse("2024-03-01T10:00:00Z");
const range = new URLSearchParams({ start: String(START_MS), stop: String(START_MS + 3_600_000) });

describe.runIf(isSpread)("a sample server that is unreachable", () => {
  let servers: PostgresServer[];
  let s: TestService;
  let ann: TestAccount;
  let devices: TestDevice[];
  let databaseUrl: string;

  beforeAll(async () => {
    servers = await startServers(3);
    const store = await storeOn(servers);
    databaseUrl = store.databaseUrl;
    s = await TestService.startLasting(store, { rawDataCacheBytes: 0 });
    ann = await s.manager();
    devices = await deviceOnEach(s, ann, 3);
    for (const device of devices) {
      const loaded = await s.load(
        device,
        ann,
        await walk(device.serial_number, new Date(START_MS).toISOString(), 600),
      );
      expect(loaded.body.state).toBe("SUCCESS");
    }
    return async () => {
      await s.stop();
      await store.close();
      for (const server of servers) await server.stop();
    };
  });

  const page = ({ id }: TestDevice) => s.get(`/api/v1/devices/${id}/preprocessed-data/?${range}`, ann.token);
  const ready = async () => (await s.get("/health/ready/")).body;
  const device = (server: number) => devices[server] as TestDevice;

  async function expectOthersServed(): Promise<void> {
    for (const other of [1, 2]) {
      const startedAt = performance.now();
      expect((await page(device(other))).body.count).toBe(600);
      // A connection that waits for the lost server would take at least 2 s.
      expect(performance.now() - startedAt).toBeLessThan(1_900);
    }
  }

  it("causes 503 with Retry-After only for its devices if it has stopped, and recovers automatically", async () => {
    const [lost] = servers as [PostgresServer];
    await lost.halt("fast");
    const refused = await page(device(0));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("x-error-code")).toBe("unavailable");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await expectOthersServed();
    // The response does not contain the address, because anyone may read it.
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok", sample_servers_away: 1 });
    expect(await s.service.app.metrics.metrics()).toMatch(
      new RegExp(`asi_sample_server_up\\{server="127.0.0.1:${new URL(lost.url).port}/postgres"\\} 0`),
    );
    // A load for another device counts the samples of the account, some of which are on the lost server.
    const recording = await walk(device(1).serial_number, new Date(START_MS + 7_200_000).toISOString(), 10);
    expect((await s.load(device(1), ann, recording)).body.state).toBe("SUCCESS");
    // Retention removes reachable samples, continues a key rotation, and reports the unreachable server.
    const { queries } = s.store.database;
    await queries.execute(sql`
      INSERT INTO encryption_keys (key_id, server_key_id, encrypted_key, created_at)
      SELECT id, 'of an earlier rotation', 'x', now() - interval '2 hours' FROM generate_series(1, 2) AS id`);
    await expect(applyRetention(s.computing)).rejects.toThrow();
    const { rows } = await queries.execute(sql`DELETE FROM encryption_keys RETURNING key_id`);
    expect(rows).toEqual([{ key_id: "2" }]);
    await lost.restart();
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
    expect((await page(device(0))).body.count).toBe(600);
  });

  it("delays accepted loads until it is back", async () => {
    const [lost] = servers as [PostgresServer];
    await lost.halt("fast");
    const recording = await walk(device(0).serial_number, new Date(START_MS + 86_400_000).toISOString(), 10);
    const asi_b64 = Buffer.from(recording).toString("base64");
    const { status, body } = await s.post(
      `/api/v1/devices/${device(0).id}/bulk-load/`,
      { asi_b64 },
      ann.token,
    );
    expect(status).toBe(200);
    await s.runJobs();
    const job = async () => (await s.get(`/api/v1/jobs/${body.job_id}/`, ann.token)).body;
    expect((await job()).state).toBe("PENDING");
    await lost.restart();
    await expect.poll(async () => (await ready()).sample_servers_away, PATIENCE).toBeUndefined();
    await expect
      .poll(async () => {
        await s.runJobs();
        return (await job()).state;
      }, PATIENCE)
      .toBe("SUCCESS");
    expect((await job()).details).toMatchObject({ samples_stored: 10 });
  });

  it("causes 503 within seconds if it hangs, for more readers than connections, and does not delay other devices after that", async () => {
    const [lost] = servers as [PostgresServer];
    // Every session has had a connection to the server.
    await Promise.all(Array.from({ length: 40 }, () => page(device(0))));
    lost.freeze();
    try {
      const startedAt = performance.now();
      const waiting = Array.from({ length: 40 }, () => page(device(0)));
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      await expect.poll(async () => (await ready()).sample_servers_away, PATIENCE).toBe(1);
      await expectOthersServed();
      const again = performance.now();
      expect((await page(device(0))).status).toBe(503);
      expect(performance.now() - again).toBeLessThan(1_900);
    } finally {
      lost.thaw();
    }
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
    expect((await page(device(0))).body.count).toBe(600);
  });

  it("prevents the operator's backup; a message names the server, and no file is left", async () => {
    const [lost] = servers as [PostgresServer];
    await lost.halt("fast");
    try {
      const folder = newScratchFolder();
      const refused = commands.backup({ ...s.ctx, database: s.store.database }, { file: join(folder, "b") });
      await expect(refused).rejects.toBeInstanceOf(UsageError);
      await expect(refused).rejects.toThrow(
        /^The sample server 127\.0\.0\.1:\d+.* cannot be reached: the backup would lack its samples\. No file was written\. Start the server and repeat the command/,
      );
      expect(readdirSync(folder)).toEqual([]);
      // Every other command that needs the server fails in the same way, in a separate process.
      const [start, stop] = [START_MS, START_MS + 1].map((ms) => new Date(ms).toISOString());
      const { serial_number: serialNumber } = device(0);
      const deleting = withCommands(testConfig({ databaseUrl }), "tess", (run) =>
        run("samples delete", { serialNumber, start, stop }),
      );
      await expect(deleting).rejects.toBeInstanceOf(UsageError);
      await expect(deleting).rejects.toThrow(
        /^The sample server 127\.0\.0\.1:\d+.* cannot be reached: the command needs its samples\. Start the server/,
      );
    } finally {
      await lost.restart();
    }
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
  });

  it("causes a refusal for a device that was added meanwhile", async () => {
    const [lost] = servers as [PostgresServer];
    await lost.halt("fast");
    await expect.poll(async () => (await ready()).sample_servers_away, PATIENCE).toBe(1);
    let added = await s.device();
    while ((await serverOfDevice(s.store.database, added.id)) !== 0) added = await s.device();
    const { sampleServers } = s.store.database;
    await expect.poll(() => sampleServers?.refusal(added.id)?.message, PATIENCE).toMatch(/is unreachable/);
    await lost.restart();
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
  });

  /** Watches the servers in separate sessions, and collects log lines. */
  async function watching() {
    const application_name = `watch ${randomBytes(4).toString("hex")}`;
    const refused: unknown[] = [];
    const warnings: object[] = [];
    const watch = new SampleServerWatch(s.store.database.pool, () => {
      const client = new pg.Client({ connectionString: databaseUrl, application_name });
      const connect = client.connect.bind(client);
      client.connect = () =>
        connect().catch((error: unknown) => {
          refused.push(error);
          throw error;
        });
      return client;
    });
    await watch.start({ info: () => undefined, warn: (line: object) => warnings.push(line) });
    const ofReading = async (column: string, part: string) => {
      const { rows } = await s.store.database.pool.query(
        `SELECT ${column} FROM pg_stat_activity WHERE application_name = $1 AND state = 'active' AND query LIKE $2`,
        [application_name, `%sample_chunks_${part}%`],
      );
      return rows.length;
    };
    /** Returns whether one of these sessions currently reads samples of this part. */
    const isReading = async (part: string) => (await ofReading("pid", part)) > 0;
    /** Ends these sessions that currently read samples of this part. @returns the number of sessions */
    const endReading = (part: string) => ofReading("pg_terminate_backend(pid)", part);
    return { watch, refused, warnings, isReading, endReading };
  }

  it("is not assumed if the coordinator ends or refuses the sessions that check it", async () => {
    const { watch, refused, warnings, isReading, endReading } = await watching();
    const elsewhere = new pg.Client(databaseUrl.replace(/[^/]+$/, "postgres"));
    await elsewhere.connect();
    const name = pg.escapeIdentifier(new URL(databaseUrl).pathname.slice(1));
    const [first] = servers as [PostgresServer];
    const remote = new pg.Client(`${first.url}postgres`);
    await remote.connect();
    const allow = (connections: boolean) =>
      elsewhere.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${connections}`);
    /** Ends a session while it is active. It could otherwise end by itself before new sessions are refused. */
    const endAndRefuse = async () => {
      await allow(true);
      if (!(await isReading("0"))) return 0;
      await allow(false);
      return endReading("0");
    };
    try {
      const [{ table } = { table: "" }] = await sampleServers(s.store.database.pool);
      await remote.query(`BEGIN; LOCK TABLE ${table}`);
      await expect.poll(endAndRefuse, { ...PATIENCE, interval: 10 }).toBe(1);
      await remote.query("ROLLBACK");
      await expect.poll(() => refused.length, PATIENCE).toBeGreaterThan(1);
      expect(refused[0]).toMatchObject({ severity: "FATAL" });
    } finally {
      await allow(true);
      await elsewhere.end();
      await remote.end();
    }
    expect(watch.states.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(warnings).toEqual([]);
    await watch.stop();
  });

  it("is detected even if its error has the code of an ended coordinator session", async () => {
    const { watch, warnings } = await watching();
    const [first] = servers as [PostgresServer];
    const remote = new pg.Client(`${first.url}postgres`);
    await remote.connect();
    const [{ table } = { table: "" }] = await sampleServers(s.store.database.pool);
    await remote.query(`
      CREATE FUNCTION refuse() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now' USING ERRCODE = '57P01'; END $$;
      ALTER TABLE ${table} RENAME TO kept;
      CREATE VIEW ${table} AS SELECT * FROM kept WHERE refuse()`);
    await expect
      .poll(() => warnings, PATIENCE)
      .toContainEqual(expect.objectContaining({ problem: "not now" }));
    await remote.query(`DROP VIEW ${table}; ALTER TABLE kept RENAME TO ${table}; DROP FUNCTION refuse`);
    await remote.end();
    await watch.stop();
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
  });

  it("is reported with its devices, even if the coordinator has no free connection", async () => {
    const [lost] = servers as [PostgresServer];
    const lines: object[] = [];
    const log = { info: () => undefined, warn: (line: object) => lines.push(line) };
    let isFull = false;
    const statements: { mock: { calls: unknown[][]; results: { value: unknown }[] } }[] = [];
    const watch = new SampleServerWatch(s.store.database.pool, () => {
      const client = new pg.Client(databaseUrl);
      if (isFull) {
        client.connect = async () => {
          throw new Error("sorry, too many clients already");
        };
      }
      statements.push(vi.spyOn(client, "query"));
      return client;
    });
    await watch.start(log);
    const ofDevices = () =>
      statements.flatMap(({ mock }) =>
        mock.calls.flatMap(([text], i) =>
          String(text).includes("FROM devices") ? [mock.results[i]?.value] : [],
        ),
      );
    await expect.poll(() => ofDevices().length, PATIENCE).toBe(3);
    await Promise.all(ofDevices());
    isFull = true;
    await lost.halt("fast");
    await expect.poll(() => watch.refusal(device(0).id)?.message, PATIENCE).toMatch(/is unreachable/);
    expect(watch.refusal(device(1).id)).toBeUndefined();
    await expect
      .poll(() => lines, PATIENCE)
      .toContainEqual(expect.objectContaining({ problem: "sorry, too many clients already" }));
    await lost.restart();
    await watch.stop();
    await expect.poll(ready, PATIENCE).toEqual({ status: "ok" });
  });
});
