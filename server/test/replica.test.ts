/**
 * Tests that a real streaming replica serves pages of raw data while it is recent enough, and only with samples that the caller
 * may see.
 */
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readFromReplica } from "../src/domain/raw-data/replica-reading.js";
import { type Database, openDatabase } from "../src/store/connection/database.js";
import { ReadReplica } from "../src/store/connection/read-replica.js";
import { openStore, type Store } from "../src/store/open.js";
import { readPage } from "../src/store/samples/index.js";
import { stopAfterTest } from "./cleanup.js";
import { type PostgresServer, startPostgres } from "./postgres.js";
import { walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";
import { testConfig } from "./test-config.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";
const PATIENCE = { timeout: 60_000, interval: 100 };
/** No times to compare, because the tests that use this do not depend on rights. */
const NOTHING = {
  owner: { deviceId: 0, ownerId: 0 },
  within: { startMs: 0, stopMs: -1 },
  held: { times: [], state: "" },
};
const log = { info: () => undefined, warn: () => undefined } as never;

describe.runIf(isPostgres)("a read replica", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let store: Store;
  let s: TestService;
  let replica: ReadReplica;
  let admin: pg.Client;
  let urls: { primary: string; replica: string };

  beforeAll(async () => {
    // With the default settings of a server, a commit is in the log immediately. Otherwise the age would refer to a later moment.
    primary = await startPostgres({ settings: ["synchronous_commit=on"] });
    const setUp = new pg.Client(`${primary.url}postgres`);
    await setUp.connect();
    // The role has no rights outside its database.
    await setUp.query("CREATE ROLE asi LOGIN");
    await setUp.query("CREATE DATABASE asi OWNER asi");
    await setUp.end();
    standby = await primary.startReplica();
    const asAsi = ({ url }: PostgresServer) => `${url.replace("postgres@", "asi@")}asi`;
    urls = { primary: asAsi(primary), replica: asAsi(standby) };
    const config = { databaseUrl: urls.primary, databaseReadUrl: urls.replica, rawDataCacheBytes: 0 };
    store = await openStore(testConfig(config));
    s = await TestService.startLasting(store, config);
    ({ replica } = s.service.app.dependencies as { replica: ReadReplica });
    admin = await superuser();
  });

  afterAll(async () => {
    await admin?.end();
    await s?.stop();
    await store?.close();
    await standby?.stop();
    await primary?.stop();
  });

  beforeEach(async () => {
    await admin.query("SELECT pg_wal_replay_resume()");
    await expect.poll(() => replica.current(), PATIENCE).toBeDefined();
  });

  async function superuser(): Promise<pg.Client> {
    const client = new pg.Client(`${standby.url}asi`);
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  const pause = () => admin.query("SELECT pg_wal_replay_pause()");

  /** Waits until the replica has all current commits. */
  async function caughtUp(): Promise<void> {
    const now = performance.now();
    await expect.poll(() => performance.now() - replica.ageMs > now, PATIENCE).toBe(true);
  }

  const START_MS = Date.parse("2024-03-01T10:00:00Z");
  const range = new URLSearchParams({ start: String(START_MS), stop: String(START_MS + 3_600_000) });

  async function loaded(minute: number, device: TestDevice, by: TestAccount): Promise<void> {
    const start = new Date(START_MS + minute * 60_000).toISOString();
    const { body } = await s.load(device, by, await walk(device.serial_number, start, 10));
    expect(body.state).toBe("SUCCESS");
  }

  async function deviceWithSamples() {
    const ann = await s.manager();
    const device = await s.longOwned(ann);
    await loaded(0, device, ann);
    await caughtUp();
    const path = `/api/v1/devices/${device.id}`;
    const count = async () => (await s.get(`${path}/preprocessed-data/?${range}`, ann.token)).body.count;
    return { ann, device, path, count };
  }

  it("is used to read pages while it has all changes to their samples; all other reads use the primary", async () => {
    const { device, count } = await deviceWithSamples();
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await pause();
    // Nothing announces this removal.
    await store.database.queries.execute(sql`DELETE FROM sample_chunks WHERE device_id = ${device.id}`);
    expect(await count()).toBe(before);
    await admin.query("SELECT pg_wal_replay_resume()");
    await expect.poll(count, PATIENCE).toBe(0);
  });

  it("is replaced by the primary for pages with samples that it does not have yet", async () => {
    const { ann, device, path, count } = await deviceWithSamples();
    const before = await count();
    await pause();
    await loaded(1, device, ann);
    expect(await count()).toBe(2 * before);
    const ranges = await s.get(`${path}/preprocessed-data-ranges/?${range}`, ann.token);
    const stored = ranges.body.results.reduce((sum: number, { size }: { size: number }) => sum + size, 0);
    expect(stored).toBe(2 * before);
  });

  it("is as recent as its last measurement, even if the primary has been idle for a long time", async () => {
    await caughtUp();
    const { rows } = await admin.query("SELECT pg_last_xact_replay_timestamp() AS at");
    await caughtUp();
    await caughtUp();
    expect((await admin.query("SELECT pg_last_xact_replay_timestamp() AS at")).rows).toEqual(rows);
    expect(replica.current()).toBeDefined();
  });

  it("is not used if its lag is too long", async () => {
    const { ann, device, count } = await deviceWithSamples();
    const before = await count();
    const databases: Database[] = [];
    for (const url of [urls.primary, urls.replica]) databases.push(await openDatabase({ url, poolSize: 2 }));
    const [ours, its] = databases as [Database, Database];
    const MAX_AGE_MS = 2_500;
    const strict = new ReadReplica(ours, its, MAX_AGE_MS);
    stopAfterTest(async () => {
      await strict.close();
      await ours.close();
    });
    await strict.start(log);
    await expect.poll(() => strict.current(), PATIENCE).toBeDefined();
    await pause();
    await loaded(1, device, ann);
    await expect.poll(() => strict.current(), PATIENCE).toBeUndefined();
    expect(strict.ageMs).toBeGreaterThan(MAX_AGE_MS);
    const read = await readFromReplica({ ...s.ctx, queries: ours.queries }, strict, NOTHING, (client) =>
      readPage(client, device.id, [{ startMs: START_MS, stopMs: START_MS + 3_600_000 }], 0, 10_000),
    );
    expect([read.page.count, read.ageMs]).toEqual([2 * before, 0]);
  });

  it("remains in use if a page fails because of an error that the primary confirms", async () => {
    await caughtUp();
    const asked: string[] = [];
    const refused = readFromReplica(s.ctx, replica, NOTHING, async (client) => {
      const { rows } = await client.query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
      asked.push(rows[0]?.standby ? "replica" : "primary");
      return client.query("SELECT 'x'::int");
    });
    await expect(refused).rejects.toThrow();
    expect([asked, replica.current()]).toEqual([["replica", "primary"], expect.anything()]);
  });

  it("returns pages with an age that counts from the state from which they were read", async () => {
    await caughtUp();
    await pause();
    // The replica does not replay the record of this change.
    await s.manager();
    const age = replica.ageMs;
    await expect.poll(() => replica.ageMs, PATIENCE).toBeGreaterThan(age + 1_500);
    const { ageMs } = await readFromReplica(s.ctx, replica, NOTHING, async () => undefined);
    expect(ageMs).toBeGreaterThan(age + 1_500);
  });

  it("shows a new owner no samples of the former owner, even before it receives the change of ownership", async () => {
    const [ann, ben] = [await s.manager(), await s.manager()];
    const device = await s.ownedDevice(ann);
    // These samples are from the next minutes. They belong to ann until she releases the device.
    const start = new Date(Date.now() + 60_000).toISOString();
    expect((await s.load(device, ann, await walk(device.serial_number, start, 10))).body.state).toBe(
      "SUCCESS",
    );
    await caughtUp();
    await pause();
    expect((await s.release(device, ann)).status).toBe(204);
    expect((await s.take(device, ben)).status).toBe(201);
    const soon = new URLSearchParams({ start, stop: String(Date.now() + 600_000) });
    const page = await s.get(`/api/v1/devices/${device.id}/preprocessed-data/?${soon}`, ben.token);
    expect([page.status, page.body.count]).toEqual([200, 0]);
  });

  it("is replaced by the primary while it is unreachable, and is used again when it returns", async () => {
    const { ann, device, count } = await deviceWithSamples();
    const before = await count();
    await standby.halt("immediate");
    await loaded(1, device, ann);
    expect(await count()).toBe(2 * before);
    await expect.poll(() => replica.current(), PATIENCE).toBeUndefined();
    await standby.restart({ standby: true });
    admin = await superuser();
    await expect.poll(() => replica.current(), PATIENCE).toBeDefined();
    expect(await count()).toBe(2 * before);
  });

  it("is not used if its history differs from that of the primary, even if it has replayed more", async () => {
    // A server is promoted in place of the primary before the replica gets its last changes.
    const promoted = await primary.startReplica();
    stopAfterTest(() => promoted.stop());
    const client = new pg.Client(`${promoted.url}postgres`);
    await client.connect();
    expect((await client.query("SELECT pg_promote()")).rows).toEqual([{ pg_promote: true }]);
    await client.end();
    for (let count = 0; count < 20; count++) await s.manager();
    await caughtUp();
    const database = (url: string) => openDatabase({ url, poolSize: 2 });
    const ours = await database(`${promoted.url.replace("postgres@", "asi@")}asi`);
    const diverged = new ReadReplica(ours, await database(urls.replica));
    stopAfterTest(async () => {
      await diverged.close();
      await ours.close();
    });
    const problems: unknown[] = [];
    await diverged.start({ warn: (line: unknown) => problems.push(line), info: () => undefined } as never);
    expect(problems).toEqual([{ problem: "it is on another timeline" }]);
    expect(diverged.current()).toBeUndefined();
  });

  it("is refused if it belongs to another database", async () => {
    const wrong = { databaseUrl: urls.primary, databaseReadUrl: `${standby.url}postgres` };
    const other = await openStore(testConfig(wrong));
    stopAfterTest(() => other.close());
    await expect(TestService.startLasting(other, wrong)).rejects.toThrow(
      "DATABASE_READ_URL is not a replica of the database of DATABASE_URL",
    );
  });
});
