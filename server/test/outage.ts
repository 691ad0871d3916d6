/** Keeps the service under load while its database is stopped and started. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import type { PostgresServer } from "./postgres.js";
import { Processes } from "./processes.js";
import { walk } from "./recordings.js";

const SERIAL = "OUTAGE-1";
const START_MS = Date.parse("2024-03-01T10:00:00Z");
const CLIENTS = 4;
/** Number of samples in a load, 10 per second. */
const ROWS = 20;
const LOAD_MS = 700;
const PATIENCE = { timeout: 60_000, interval: 50 };

interface Outage {
  rounds: number;
  how: "fast" | "immediate";
  /** Duration of the outage in one round, ms. */
  awayMs: number;
}

/**
 * Lets clients create activities and load recordings while the database stops and starts. Checks that every response is a success
 * or a 503 with `Retry-After`, that readiness changes to false and back, and that everything acknowledged is stored exactly once
 * at the end.
 */
export async function expectToOutlive(
  server: PostgresServer,
  { rounds, how, awayMs }: Outage,
): Promise<void> {
  const processes = await Processes.onNewDatabase({
    DATABASE_URL: `${server.url}postgres`,
    // Use a short lease, because a job that has lost its connection must restart during the test.
    JOB_LEASE_MS: "2000",
    JOB_POLL_MS: "200",
    THROTTLE_USER_PER_MINUTE: "1000000",
    THROTTLE_FILES_PER_MINUTE: "1000000",
  });
  const [api, worker] = await Promise.all([
    processes.start("--role", "api"),
    processes.start("--role", "worker"),
  ]);
  const { id: owner, token } = await processes.manager(api, `ann-${Date.now()}`);
  const device = await processes.ownedDevice(api, token, SERIAL);

  let over = false;
  stopAfterTest(async () => {
    over = true;
  });
  let refused = 0;
  const judge = ({ status, headers }: { status: number; headers: Headers }): boolean => {
    if (status !== 503) return true;
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    refused += 1;
    return false;
  };
  const created: string[] = [];
  const loaded: string[] = [];
  const numbers = Array.from({ length: 1_000_000 }).keys();

  async function createActivities(): Promise<void> {
    while (!over) {
      const name = `ride ${numbers.next().value}`;
      // The first installed schema.
      const body = { name, json: { sport: "biking" }, json_schema: 1, owner };
      const answer = await api.send("POST", "/api/v1/activities/", token, body);
      if (!judge(answer)) continue;
      expect(answer).toMatchObject({ status: 201 });
      created.push(name);
    }
  }

  async function loadRecordings(): Promise<void> {
    for (let number = 0; !over; number++) {
      const recording = await walk(SERIAL, new Date(START_MS + number * 60_000).toISOString(), ROWS);
      const body = { asi_b64: Buffer.from(recording).toString("base64") };
      const answer = await api.send("POST", `/api/v1/devices/${device}/bulk-load/`, token, body);
      if (!judge(answer)) continue;
      expect(answer).toMatchObject({ status: 200 });
      loaded.push(answer.body.job_id);
      await sleep(50);
    }
  }

  const load = Promise.all([...Array.from({ length: CLIENTS }, createActivities), loadRecordings()]);
  // The promise is awaited at the end.
  load.catch(() => undefined);
  const ready = async () => (await api.send("GET", "/health/ready/")).status;
  /** Waits until the load has made progress, which takes longer on a slow machine. */
  const underLoad = async () => {
    const before = { created: created.length, loaded: loaded.length };
    await sleep(LOAD_MS);
    await expect.poll(() => created.length, PATIENCE).toBeGreaterThan(before.created);
    await expect.poll(() => loaded.length, PATIENCE).toBeGreaterThan(before.loaded);
  };
  for (let round = 0; round < rounds; round++) {
    await underLoad();
    await server.halt(how);
    await expect.poll(ready, PATIENCE).toBe(503);
    await sleep(awayMs);
    expect(await ready()).toBe(503);
    await server.restart();
    await expect.poll(ready, PATIENCE).toBe(200);
  }
  // The load continues after the outage.
  await underLoad();
  over = true;
  await load;
  expect(refused).toBeGreaterThan(0);

  const names: string[] = [];
  for (let page: number | null = 1; page !== null; ) {
    const { body } = await api.send("GET", `/api/v1/activities/?limit=3000&page=${page}`, token);
    names.push(...body.results.map(({ name }: { name: string }) => name));
    page = body.next;
  }
  expect(new Set(names).size).toBe(names.length);
  const there = new Set(names);
  expect(created.filter((name) => !there.has(name))).toEqual([]);
  for (const job of loaded) {
    const get = async () => (await api.send("GET", `/api/v1/jobs/${job}/`, token)).body;
    await expect.poll(async () => (await get()).state, PATIENCE).toBe("SUCCESS");
    const { samples_stored, samples_known } = (await get()).details;
    expect(samples_stored + samples_known).toBe(ROWS);
  }
  // Neither process has ended before, and neither log contains data of a client.
  expect(await Promise.all([api.terminate(), worker.terminate()])).toEqual([0, 0]);
  for (const { output } of [api, worker]) expect(output()).not.toMatch(/params|ride \d|"detail":"Key/);
}
