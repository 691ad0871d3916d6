/** Whoever reads a device's samples loaded them: what a former owner stored never reaches the next one. */
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../src/store/migrate.js";
import { migrations } from "../src/store/migrations/index.js";
import { storeSamples } from "../src/store/samples/index.js";
import { recordingOf, rowAt } from "./recordings.js";
import { newDatabase, newStore, type TestAccount, type TestDevice, TestService } from "./service.js";
import { newActivity, schemaId } from "./team.js";

const MINUTE_MS = 60_000;
/** What a device's clock may be ahead of the server's. */
const AHEAD_MS = 5 * MINUTE_MS;
const isPostgres = process.env.TEST_DATABASE === "postgres";
const iso = (ms: number) => new Date(ms).toISOString();

// A database of its own: here jobs are run and the clock is moved.
let s: TestService;
let managers: TestAccount[];
/** What each manager's time frames name beside the device. */
let teams: { activity: number; athlete: number }[];

beforeAll(async () => {
  s = await TestService.start(await newStore());
  managers = await Promise.all([0, 1, 2].map(() => s.manager({}, "?create_default_athlete=true")));
  teams = await Promise.all(managers.map(teamOf));
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const manager = (index: number): TestAccount => {
  const found = managers[index];
  if (found === undefined) throw new Error(`There is no manager ${index}`);
  return found;
};

async function teamOf({ id, token }: TestAccount) {
  const [athlete] = (await s.get(`/api/v1/athletes/?managed_by=${id}`, token)).body.results;
  return { activity: await newActivity(s, { id, token }), athlete: athlete.id as number };
}

/** Degrees that tell who loaded a sample. */
const latitudeOf = (index: number) => 10 + index;
const heartRateOf = (index: number) => 100 + index;

/** A recording of a manager's: every sample says whose it is, every second one by its heart rate too. */
const recordingBy = (device: TestDevice, index: number, times: readonly number[]) =>
  recordingOf(
    device.serial_number,
    times.map((ms) => ({
      ...rowAt(ms),
      latitude: latitudeOf(index),
      hr: ms % 2 === 0 ? heartRateOf(index) : null,
    })),
  );

/** Sends a recording; the work is done later. */
async function upload(device: TestDevice, index: number, times: readonly number[], of = s) {
  const asi_b64 = Buffer.from(await recordingBy(device, index, times)).toString("base64");
  return of.post(`/api/v1/devices/${device.id}/bulk-load/`, { asi_b64 }, manager(index).token);
}

async function load(device: TestDevice, index: number, times: readonly number[]) {
  return (await s.load(device, manager(index), await recordingBy(device, index, times))).body.details;
}

const take = (device: TestDevice, index: number) => s.take(device, manager(index));
const release = (device: TestDevice, index: number) => s.release(device, manager(index));

interface Sample {
  "gnss.timestamp": number;
  "gnss.latitude": number;
  "ecg.hr": number | null;
}

const raw = (device: TestDevice, index: number, startMs: number, stopMs: number, of = s) =>
  of.get(`/api/v1/devices/${device.id}/raw-data/?start=${startMs}&stop=${stopMs}`, manager(index).token);

/** Times of the samples that a manager may read. */
async function timesRead(device: TestDevice, index: number, startMs: number, stopMs: number) {
  const { body } = await raw(device, index, startMs, stopMs);
  return (body.results ?? []).map((sample: Sample) => sample["gnss.timestamp"]);
}

const now = () => s.clock.now().getTime();

/** The time frames by device and manager. */
const frames = new Map<string, number>();

/** A manager's time frame about now on a device; undefined for one who has never owned it. */
async function frameOf(device: TestDevice, index: number, of = s): Promise<number | undefined> {
  const key = `${device.id} ${index}`;
  const known = frames.get(key);
  if (known !== undefined) return known;
  const { id, token } = manager(index);
  const { status, body } = await of.post(
    "/api/v1/timeframes/",
    {
      start_time: iso(Date.now() - 48 * 3_600_000),
      end_time: iso(Date.now() + 48 * 3_600_000),
      params: {},
      device: device.id,
      ...teams[index],
      owner: id,
      json_schema: await schemaId(s, "timeframe_soccer"),
    },
    token,
  );
  expect([201, 400]).toContain(status);
  if (status === 400) return undefined;
  frames.set(key, body.id);
  return body.id;
}

/** The computed data of a manager's time frame; undefined where there is none. */
async function computedRead(device: TestDevice, index: number, of = s) {
  const frame = await frameOf(device, index, of);
  if (frame === undefined) return undefined;
  const { status, body } = await of.get(`/api/v1/timeframes/${frame}/computed-data/`, manager(index).token);
  expect(status).toBe(200);
  return body as {
    first_timestamp: number | null;
    last_timestamp: number | null;
    hr_min: number;
    hr_max: number;
  };
}

describe("a former owner's samples", () => {
  it("from times after the release are gone, and the next owner's of the same times are stored", async () => {
    const device = await s.ownedDevice(manager(0));
    const ahead = now() + 4 * MINUTE_MS;
    expect(await load(device, 0, [now(), ahead])).toMatchObject({ samples_stored: 2 });
    s.clock.advance(MINUTE_MS);
    await release(device, 0);
    s.clock.advance(MINUTE_MS);
    await take(device, 1);
    expect(await timesRead(device, 1, now(), ahead)).toEqual([]);
    expect((await s.get(`/api/v1/devices/${device.id}/latest-raw-data/`, manager(1).token)).body).toEqual([]);
    expect(await load(device, 1, [ahead])).toMatchObject({ samples_stored: 1, samples_known: 0 });
    s.clock.advance(3 * MINUTE_MS);
    expect(await timesRead(device, 1, ahead, ahead)).toEqual([ahead]);
  });

  it("from times before the release stay the former owner's, in the very chunk that is cut", async () => {
    const device = await s.ownedDevice(manager(0));
    const first = now() + 1;
    const times = Array.from({ length: 240 }, (_, i) => first + i * 1000);
    await load(device, 0, times);
    s.clock.advance(2 * MINUTE_MS);
    const end = now();
    await release(device, 0);
    expect(await timesRead(device, 0, first, first + 3_600_000)).toEqual(times.filter((ms) => ms < end));
  });

  it("are not stored when they are more than five minutes ahead, or as far as the setting says", async () => {
    const device = await s.ownedDevice(manager(0));
    s.clock.stopAt(now());
    const times = [now() + AHEAD_MS, now() + AHEAD_MS + 1];
    expect(await load(device, 0, times)).toMatchObject({ samples_stored: 1, samples_refused: 1 });
    const strict = await TestService.start(s.store, { bulkLoadMaxAheadMs: 0 });
    strict.clock.stopAt(now());
    const recording = await recordingBy(device, 0, [now(), now() + 1]);
    const { body } = await strict.load(device, manager(0), recording);
    expect(body.details).toMatchObject({ samples_stored: 1, samples_refused: 1 });
    await strict.stop();
    s.clock.stopAt(Date.now());
  });

  it("of an upload that waited are stored up to the end of the ownership, and none beyond", async () => {
    const device = await s.ownedDevice(manager(0));
    s.clock.advance(MINUTE_MS);
    const before = now() - 30_000;
    const unowned = now() - 3_600_000;
    const { body } = await upload(device, 0, [unowned, before, now() + MINUTE_MS, now() + 3 * MINUTE_MS]);
    await release(device, 0);
    // No one owns the device when the job runs: what it stored now, the next owner would read.
    await s.runJobs();
    const job = await s.get(`/api/v1/jobs/${body.job_id}/`, manager(0).token);
    expect(job.body.details).toMatchObject({ samples_stored: 1, samples_refused: 3 });
    s.clock.advance(2 * MINUTE_MS);
    await take(device, 1);
    expect(await timesRead(device, 1, before, before + 3_600_000)).toEqual([]);
    expect(await timesRead(device, 0, before, before + 3_600_000)).toEqual([before]);
  });

  it("do not come from the cache of pages that the former owner read", async () => {
    const device = await s.ownedDevice(manager(0));
    const ahead = now() + 4 * MINUTE_MS;
    await load(device, 0, [ahead]);
    expect(await timesRead(device, 0, ahead - 1000, ahead + 1000)).toEqual([ahead]);
    await release(device, 0);
    await take(device, 1);
    expect(await timesRead(device, 1, ahead - 1000, ahead + 1000)).toEqual([]);
  });

  it("do not come with an ownership that is extended backwards, be the one before without length", async () => {
    const device = await s.device();
    s.clock.stopAt(Date.now());
    await take(device, 0);
    const history = now() - 24 * 3_600_000;
    expect(await load(device, 0, [history])).toMatchObject({ samples_stored: 1, samples_unreadable: 1 });
    await release(device, 0);
    await take(device, 1);
    await expect(s.backdate(device, iso(history - 1000))).rejects.toThrow("owned");
    expect(await timesRead(device, 1, history, now())).toEqual([]);
  });

  it("that an older release left to the next owner are removed by the upgrade", async () => {
    const { database } = await newDatabase();
    const { pool } = database;
    try {
      await migrate(database, {
        migrations: migrations.filter(({ name }) => name < "0030"),
      });
      await pool.query(`
        INSERT INTO accounts (id, role, username, username_key, email, created_at)
          VALUES (1, 'MANAGER', 'a', 'a', 'a@example.org', now()), (2, 'MANAGER', 'b', 'b', 'b@example.org', now());
        INSERT INTO devices (id, device_name, serial_number, device_type, created_at) VALUES (1, 'd', 's', 't', now());
        INSERT INTO ownerships (device_id, manager_id, start_time, end_time) VALUES
          (1, 1, '2026-01-01T00:00Z', '2026-01-02T00:00Z'), (1, 2, '2026-01-02T00:00Z', '2999-12-31T23:59:59Z');`);
      const chunk = (time: string, storedAt: string) =>
        pool.query(
          `INSERT INTO sample_chunks (device_id, bucket, start_ms, stop_ms, n, payload, stored_at)
           SELECT 1, ms / 300000, ms, ms, 1, '', $2 FROM (SELECT (extract(epoch FROM $1::timestamptz) * 1000)::bigint AS ms) AS at`,
          [time, storedAt],
        );
      await chunk("2026-01-01T12:00Z", "2026-01-01T13:00Z");
      await chunk("2026-01-02T12:00Z", "2026-01-01T13:00Z");
      await chunk("2026-01-02T12:10Z", "2026-01-02T13:00Z");
      await migrate(database);
      const { rows } = await pool.query("SELECT start_ms FROM sample_chunks ORDER BY start_ms");
      expect(rows.map(({ start_ms }) => iso(start_ms))).toEqual([
        "2026-01-01T12:00:00.000Z",
        "2026-01-02T12:10:00.000Z",
      ]);
    } finally {
      await database.close();
    }
  });

  it.runIf(isPostgres)("do not slip in while a load and a release meet", async () => {
    const device = await s.ownedDevice(manager(0));
    const ahead = now() + 4 * MINUTE_MS;
    await upload(device, 0, [ahead]);
    // The release waits before it removes samples, and the load begins while the ownership's end is not yet to be seen.
    const held = await hold("LOCK TABLE sample_chunks IN ACCESS EXCLUSIVE MODE");
    const releasing = release(device, 0);
    await held.waiters(1);
    const loading = s.runJobs();
    await held.waiters(2);
    await held.letGo();
    await Promise.all([loading, releasing]);
    await take(device, 1);
    expect(await timesRead(device, 1, now(), ahead)).toEqual([]);
  });

  it.runIf(isPostgres)(
    "of the next owner are not read by a request of the former one under way",
    async () => {
      const device = await s.ownedDevice(manager(0));
      const ahead = now() + 2 * MINUTE_MS;
      await frameOf(device, 0);
      const held = await hold("LOCK TABLE sample_chunks IN ACCESS EXCLUSIVE MODE");
      const computing = computedRead(device, 0);
      const reads = [
        raw(device, 0, now(), ahead),
        s.get(`/api/v1/devices/${device.id}/raw-data-ranges/?start=${now()}&stop=${ahead}`, manager(0).token),
        s.get(`/api/v1/devices/${device.id}/latest-raw-data/`, manager(0).token),
        s.get(`/api/v1/devices/${device.id}/latest-timestamp/`, manager(0).token),
      ];
      await held.waiters(5);
      // Release, take-over and load, all of them committed with the lock that the readers wait for.
      const { client } = held;
      const from = iso(now());
      await client.query("UPDATE ownerships SET end_time = $1, version = version + 1 WHERE device_id = $2", [
        from,
        device.id,
      ]);
      await client.query(
        "INSERT INTO ownerships (device_id, manager_id, start_time, end_time) VALUES ($1, $2, $3, '2999-12-31T23:59:59Z')",
        [device.id, manager(1).id, from],
      );
      await storeSamples(client, device.id, [
        {
          length: 1,
          timestampMs: Float64Array.of(ahead),
          latitudeE7: Int32Array.of(latitudeOf(1) * 1e7),
          longitudeE7: Int32Array.of(0),
          altitudeMm: Int32Array.of(0),
          speedMmPerS: Int32Array.of(0),
          hr: Uint8Array.of(heartRateOf(1)),
          fixType: Uint8Array.of(3),
        },
      ]);
      await held.letGo();
      const [page, ranges, latest, timestamp] = await Promise.all(reads);
      expect([page?.status, page?.body.results ?? []]).toEqual([expect.toBeOneOf([200, 403]), []]);
      expect([ranges?.status, ranges?.body.results ?? []]).toEqual([expect.toBeOneOf([200, 403]), []]);
      expect(latest?.status).toBe(403);
      expect(timestamp?.status).toBe(403);
      expect(await computing).toMatchObject({ first_timestamp: null, hr_max: null });
      expect(await timesRead(device, 1, ahead, ahead)).toEqual([ahead]);
    },
  );
});

/** A transaction of another session that holds what others wait for. */
async function hold(statement: string) {
  const url = (s.store as { databaseUrl?: string | null }).databaseUrl ?? "";
  const client = new pg.Client(url);
  const observer = new pg.Client(url);
  await Promise.all([client.connect(), observer.connect()]);
  await client.query(`BEGIN; ${statement}`);
  return {
    client,
    /** Returns when so many sessions of this database wait for a lock. */
    async waiters(count: number) {
      const waiting = async () =>
        Number(
          (
            await observer.query(
              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
            )
          ).rows[0].count,
        );
      await expect.poll(waiting, { interval: 20, timeout: 10_000 }).toBe(count);
    },
    async letGo() {
      await client.query("COMMIT");
      await Promise.all([client.end(), observer.end()]);
    },
  };
}

type Step =
  | { do: "take" | "release" | "read" | "hand over"; by: number }
  | { do: "upload" | "load"; by: number; offsets: number[] }
  | { do: "run jobs" }
  | { do: "wait"; ms: number }
  | { do: "backdate"; ms: number };

/** Whoever owns the device then. */
const OWNER = -1;
const anyone = fc.nat(2);
const mostlyOwner = fc.oneof({ weight: 4, arbitrary: fc.constant(OWNER) }, { weight: 1, arbitrary: anyone });
/** Milliseconds from now: mostly about now, some long ago. */
const offset = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -20, max: 24 }).map((n) => n * 15_000) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1, AHEAD_MS, AHEAD_MS + 1, -3_600_000) },
);
const offsets = fc.array(offset, { minLength: 1, maxLength: 6 });
// Clocks of two processes differ, and clocks are set back.
const pause = fc.constantFrom(0, 1, 15_000, MINUTE_MS, 3 * MINUTE_MS, -30_000);
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(2, fc.record({ do: fc.constant("take"), by: anyone })),
  weighted(2, fc.record({ do: fc.constant("release"), by: mostlyOwner })),
  weighted(4, fc.record({ do: fc.constant("hand over"), by: anyone })),
  weighted(4, fc.record({ do: fc.constant("load"), by: mostlyOwner, offsets })),
  weighted(2, fc.record({ do: fc.constant("upload"), by: mostlyOwner, offsets })),
  weighted(2, fc.record({ do: fc.constant("run jobs") })),
  weighted(3, fc.record({ do: fc.constant("read"), by: fc.oneof(mostlyOwner, anyone) })),
  weighted(3, fc.record({ do: fc.constant("wait"), ms: pause })),
  weighted(2, fc.record({ do: fc.constant("backdate"), ms: fc.constantFrom(1, 15_000, 60_000, 600_000) })),
);

/** What a manager reads of a device by every way there is. */
async function everythingRead(device: TestDevice, index: number, of = s) {
  const { token } = manager(index);
  const window = `start=${now() - 3 * 3_600_000}&stop=${now() + 3_600_000}`;
  const soon = `start=${now() + 1}&stop=${now() + AHEAD_MS}`;
  const get = (path: string) => of.get(`/api/v1/devices/${device.id}/${path}`, token);
  const [page, ahead, latest, ranges, computed] = await Promise.all([
    get(`raw-data/?${window}`),
    get(`raw-data/?${soon}`),
    get("latest-raw-data/?size=300"),
    get(`raw-data-ranges/?${window}`),
    computedRead(device, index, of),
  ]);
  for (const { status } of [page, ahead, latest, ranges]) expect([200, 403]).toContain(status);
  const samples: Sample[] = [
    ...(page.body.results ?? []),
    ...(ahead.body.results ?? []),
    ...(latest.status === 200 ? latest.body : []),
  ];
  const count = (ranges.body.results ?? []).reduce(
    (sum: number, { size }: { size: number }) => sum + size,
    0,
  );
  return { samples, count, computed };
}

function expectOwn({ samples, computed }: Awaited<ReturnType<typeof everythingRead>>, index: number): void {
  for (const sample of samples) {
    expect(sample["gnss.latitude"]).toBe(latitudeOf(index));
    expect([null, heartRateOf(index)]).toContain(sample["ecg.hr"]);
  }
  for (const heartRate of [computed?.hr_min ?? null, computed?.hr_max ?? null]) {
    expect([null, heartRateOf(index)]).toContain(heartRate);
  }
}

/** Computed data begin and end with samples that their owner may read, and leave none of their heart rates out. */
function expectFrom(times: readonly number[], computed: Awaited<ReturnType<typeof computedRead>>): void {
  const heard = times.filter((ms) => ms % 2 === 0);
  const { first_timestamp: first = null, last_timestamp: last = null } = computed ?? {};
  if (first === null || last === null) expect(computed === undefined ? [] : heard).toEqual([]);
  else {
    expect(times).toContain(first);
    expect(times).toContain(last);
    expect(heard.filter((ms) => ms < first || ms > last)).toEqual([]);
  }
}

/** The rules at their plainest: every ownership, every sample, looked through one by one. */
class Model {
  ownerships: { by: number; from: number; to: number }[] = [];
  samples = new Map<number, number>();
  waiting: { by: number; times: number[] }[] = [];

  get current() {
    const last = this.ownerships.at(-1);
    return last?.to === Number.POSITIVE_INFINITY ? last : undefined;
  }

  take(by: number, nowMs: number): void {
    if (this.current !== undefined) return;
    const from = Math.max(nowMs, this.ownerships.at(-1)?.to ?? nowMs);
    this.ownerships.push({ by, from, to: Number.POSITIVE_INFINITY });
  }

  release(by: number, nowMs: number): void {
    const { current } = this;
    if (current?.by !== by) return;
    const to = Math.max(nowMs, current.from);
    current.to = to;
    for (const ms of this.samples.keys()) if (ms >= to) this.samples.delete(ms);
  }

  runJobs(nowMs: number): void {
    for (const { by, times } of this.waiting.splice(0)) {
      for (const ms of times) {
        const owner = this.ownerships.find(({ from, to }) => from <= ms && ms < to)?.by;
        const mayStore = owner === by || (owner === undefined && this.current?.by === by);
        if (mayStore && ms <= nowMs + AHEAD_MS && !this.samples.has(ms)) this.samples.set(ms, by);
      }
    }
  }

  readable(by: number): number[] {
    const own = this.ownerships.filter((ownership) => ownership.by === by);
    return [...this.samples.keys()].filter((ms) => own.some(({ from, to }) => from <= ms && ms < to));
  }
}

describe("over random histories of owners, clocks, loads and reads", () => {
  it("nobody reads a sample that was loaded under another's ownership, and everybody reads all of his own", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
        s.clock.stopAt(Date.now());
        const device = await s.device();
        const model = new Model();
        let latest = now();
        const someone = (by: number) => (by === OWNER ? (model.current?.by ?? 0) : by);
        const acts = {
          async take(by: number) {
            await take(device, by);
            model.take(by, now());
            // Then what is loaded is computed before anybody reads it.
            if (model.current?.by === by) await frameOf(device, by);
          },
          async release(by: number) {
            await release(device, by);
            model.release(by, now());
          },
          async upload(by: number, times: number[]) {
            const { status } = await upload(device, by, times);
            expect(status).toBe(model.current?.by === by ? 200 : 403);
            if (status === 200) model.waiting.push({ by, times });
          },
          async runJobs() {
            // A job that was added when the clock was ahead waits for its time.
            s.clock.stopAt(latest);
            await s.runJobs();
            model.runJobs(now());
          },
          async read(by: number) {
            const read = await everythingRead(device, by);
            expectOwn(read, by);
            const readable = model.readable(by);
            const window = [now() - 3 * 3_600_000, now() + 3_600_000] as const;
            expect(read.count).toBe(readable.filter((ms) => window[0] <= ms && ms <= window[1]).length);
            expectFrom(readable, read.computed);
          },
          async backdate(ms: number) {
            const last = model.ownerships.at(-1);
            if (last === undefined) return;
            const from = last.from - ms;
            const isFree = model.ownerships.every((other) => other === last || other.to <= from);
            const done = await s.backdate(device, iso(from)).then(
              () => true,
              () => false,
            );
            expect(done).toBe(isFree);
            if (done) last.from = from;
          },
        };
        for (const next of steps) {
          latest = Math.max(latest, now());
          if (next.do === "wait") s.clock.stopAt(now() + next.ms);
          else if (next.do === "run jobs") await acts.runJobs();
          else if (next.do === "backdate") await acts.backdate(next.ms);
          else {
            const by = someone(next.by);
            if (next.do === "hand over") await acts.release(someone(OWNER));
            if (next.do === "hand over" || next.do === "take") await acts.take(by);
            else if (next.do === "release") await acts.release(by);
            else if (next.do === "read") await acts.read(by);
            else if ("offsets" in next) {
              await acts.upload(
                by,
                next.offsets.map((ms) => now() + ms),
              );
              if (next.do === "load") await acts.runJobs();
            }
          }
        }
        s.clock.stopAt(latest);
        for (const index of managers.keys()) await acts.read(index);
        await s.runJobs();
      }),
      { numRuns: 60 },
    );
  });

  it("nobody does when several act at once, in two processes with clocks of their own", async () => {
    const other = await TestService.start(s.store);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 8 }),
        async (bursts) => {
          const start = Date.now();
          s.clock.stopAt(start);
          other.clock.stopAt(start + 20_000);
          const device = await s.device();
          await take(device, 0);
          const act = async (next: Step, place: number) => {
            const at = place % 2 === 0 ? s : other;
            const atNow = at.clock.now().getTime();
            if (next.do === "wait") at.clock.stopAt(atNow + next.ms);
            else if (next.do === "run jobs") await at.runJobs();
            else if (next.do === "backdate") {
              await at.backdate(device, iso(atNow - next.ms)).catch(() => undefined);
            } else {
              for (const by of next.by === OWNER ? managers.keys() : [next.by]) {
                if (next.do === "hand over") for (const one of managers) await at.release(device, one);
                if (next.do === "hand over" || next.do === "take") await at.take(device, manager(by));
                else if (next.do === "release") await at.release(device, manager(by));
                else if (next.do === "read") expectOwn(await everythingRead(device, by, at), by);
                else if ("offsets" in next) {
                  await upload(
                    device,
                    by,
                    next.offsets.map((ms) => atNow + ms),
                    at,
                  );
                  if (next.do === "load") await at.runJobs();
                }
              }
            }
          };
          for (const burst of bursts) {
            const done = await Promise.allSettled(burst.map(act));
            for (const one of done) if (one.status === "rejected") throw one.reason;
          }
          for (const index of managers.keys()) {
            expectOwn(await everythingRead(device, index), index);
          }
          s.clock.advance(3_600_000);
          await s.runJobs();
        },
      ),
      { numRuns: 30 },
    );
    s.clock.stopAt(Date.now());
  });
});
