/** Kills the database of the service between the commit on a sample server and its own commit. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import { startPostgres } from "./postgres.js";
import { Processes } from "./processes.js";
import { sampleAt, walk } from "./recordings.js";
import { moveTo, startServers } from "./sample-servers.js";

const SERIAL = "CUT-1";
const START_MS = Date.parse("2024-03-01T10:00:00Z");
const ROUND_MS = 600_000;
/** Number of samples in a load, 10 per second: one or two chunks. */
const ROWS = 1_000;
const PATIENCE = { timeout: 120_000, interval: 100 };

/**
 * Delays every commit of the database by 100 ms after the commits of the servers (PostgreSQL, "commit_delay"), so that the kill
 * happens in between.
 */
const SLOW_COMMITS = ["fsync=on", "synchronous_commit=on", "commit_delay=100000", "commit_siblings=0"];

/**
 * Loads a recording in each round, and kills the database when a server has the samples and the job is not done.
 * @returns the number of commits interrupted between the servers
 */
export async function cutCommits(rounds: number): Promise<number> {
  const coordinator = await startPostgres({ settings: SLOW_COMMITS });
  stopAfterTest(() => coordinator.stop());
  const servers = await startServers(3);
  stopAfterTest(async () => {
    for (const server of servers) await server.stop();
  });
  const processes = await Processes.onNewDatabase({
    DATABASE_URL: `${coordinator.url}postgres`,
    JOB_LEASE_MS: "2000",
    JOB_POLL_MS: "200",
  });
  let running = await processes.start();
  const { openDatabase } = await import("../src/store/connection/database.js");
  const database = await openDatabase({ url: `${coordinator.url}postgres`, poolSize: 2 });
  await moveTo(database, servers);
  await database.close();
  const { token } = await processes.manager(running, "ann");
  const device = await processes.ownedDevice(running, token, SERIAL);
  const watching = await Promise.all(servers.map((server) => connected(`${server.url}postgres`)));
  const names = await Promise.all(watching.map(tableOf));
  const onServers = async () => {
    const counts = watching.map((client, i) =>
      client.query(`SELECT coalesce(sum(n), 0)::int AS n FROM ${names[i]}`),
    );
    return (await Promise.all(counts)).reduce((sum, { rows }) => sum + rows[0].n, 0);
  };

  let cut = 0;
  for (let round = 0; round < rounds; round++) {
    const before = await onServers();
    expect(before).toBe(round * ROWS);
    const recording = await walk(SERIAL, new Date(START_MS + round * ROUND_MS).toISOString(), ROWS);
    const asi_b64 = Buffer.from(recording).toString("base64");
    const { status, body } = await running.send("POST", `/api/v1/devices/${device}/bulk-load/`, token, {
      asi_b64,
    });
    expect(status).toBe(200);
    // Now the server has committed, and the database of the service has not yet committed, or only just.
    while ((await onServers()) === before) await sleep(2);
    await coordinator.kill();
    // In every second round, the service is also killed.
    if (round % 2 === 1) await running.kill();
    await coordinator.restart();
    if (round % 2 === 1) running = await processes.start();
    const job = async () => {
      const answer = await running.send("GET", `/api/v1/jobs/${body.job_id}/`, token).catch(() => undefined);
      return answer?.body;
    };
    await expect.poll(async () => (await job())?.state, PATIENCE).toBe("SUCCESS");
    const { details } = await job();
    expect(details.samples_stored + details.samples_known).toBe(ROWS);
    // The job ran a second time and found its samples already stored.
    if (details.samples_known === ROWS) cut += 1;
  }
  expect(await onServers()).toBe(rounds * ROWS);
  for (let round = 0; round < rounds; round++) {
    const from = START_MS + round * ROUND_MS;
    const query = `start=${from}&stop=${from + ROUND_MS - 1}&limit=25000`;
    const { body } = await running.send("GET", `/api/v1/devices/${device}/raw-data/?${query}`, token);
    expect(body.results).toEqual(Array.from({ length: ROWS }, (_, i) => sampleAt(from + 100 * i)));
  }
  return cut;
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  stopAfterTest(() => client.end());
  return client;
}

async function tableOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    "SELECT relname AS name FROM pg_class WHERE relname ~ '^sample_chunks_[0-9a-f]+$'",
  );
  return rows[0].name;
}
