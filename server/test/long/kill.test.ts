/** Kills the service while it loads and converts recordings. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { convert } from "asi-convert";
import { beforeEach, expect, it } from "vitest";
import { Processes, type RunningProcess } from "../processes.js";
import { bytesOf, sampleAt, timesFrom, walk } from "../recordings.js";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 25);
const SERIAL = "KILL-1";
const DAY_MS = 86_400_000;
const START_MS = Date.parse("2024-03-01T10:00:00Z");
const iso = (ms: number) => new Date(ms).toISOString();

/** Number of rows in a recording: 20 minutes at 10 Hz, long enough for a kill in the middle. */
const ROWS = 12_000;

let processes: Processes;
let running: RunningProcess;
let token: string;
let device: number;

// Use a separate database, because the test counts stored samples.
beforeEach(async () => {
  processes = await Processes.onNewDatabase({
    // Use a short lease, because the job of a killed worker must restart during the test.
    JOB_LEASE_MS: "2000",
    JOB_POLL_MS: "200",
    CONVERT_CONCURRENCY: "3",
    CONVERT_CONCURRENCY_PER_USER: "3",
    // Keep converted files on disk, where a killed process would leave them.
    CONVERT_MEMORY_BYTES: "0",
  });
  running = await processes.start();
  ({ token } = await processes.manager(running, "ann"));
  device = await processes.ownedDevice(running, token, SERIAL);
});

/** Waits for a random time within `ms`, so that kills interrupt any kind of work. */
const moment = (ms: number) => sleep(Math.random() * ms);

const post = (recording: Uint8Array) =>
  running.send("POST", `/api/v1/devices/${device}/bulk-load/`, token, {
    asi_b64: Buffer.from(recording).toString("base64"),
  });

async function convertOverHttp(recording: Uint8Array) {
  const form = new FormData();
  form.append("file", new Blob([recording as Uint8Array<ArrayBuffer>]), "x.asi");
  const response = await fetch(`${running.url}/api/v2/files/asi-to-csv/`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Waits until a job has succeeded. @returns its details */
async function done(job: string) {
  const get = async () => (await running.send("GET", `/api/v1/jobs/${job}/`, token)).body;
  await expect.poll(async () => (await get()).state, { timeout: 120_000, interval: 100 }).toBe("SUCCESS");
  return (await get()).details;
}

/** Returns undefined for a request in progress during the kill, which gets no response. */
const orCutOff = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined);

/** Reads all samples of the device in pages. */
async function samplesBetween(startMs: number, stopMs: number): Promise<Record<string, unknown>[]> {
  const samples: Record<string, unknown>[] = [];
  for (let from = startMs; from < stopMs; from += DAY_MS) {
    for (let page: number | null = 1; page !== null; ) {
      const query = `start=${from}&stop=${from + DAY_MS - 1}&limit=25000&page=${page}`;
      const { status, body } = await running.send(
        "GET",
        `/api/v1/devices/${device}/raw-data/?${query}`,
        token,
      );
      expect(status).toBe(200);
      samples.push(...body.results);
      page = body.next;
    }
  }
  return samples;
}

/** Rounds overlap by half a recording, so later loads add samples to chunks of earlier ones. */
const startOf = (round: number) => START_MS + (round * ROWS * 100) / 2;

it(`the service is killed ${ROUNDS} times during bulk loads and conversions: each acknowledged job finishes once, no chunk or upload is left incomplete, and no incomplete CSV looks complete`, async () => {
  const long = await walk(SERIAL, iso(START_MS), 5 * ROWS);
  const csv = Buffer.from(await bytesOf(convert(long).body));
  const uploads = join(processes.dataDir, "uploads");
  const acknowledged: string[] = [];
  /**
   * Times in loads whose acknowledgement was lost. Their samples may have been stored by these loads, by other loads, or not at
   * all.
   */
  const unsure = new Set<number>();
  let cutOff = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const recording = await walk(SERIAL, iso(startOf(round)), ROWS);
    const sent = orCutOff(post(recording));
    // In every third round, the kill may precede the acknowledgement.
    if (round % 3 !== 0) await sent;
    const conversions = [long, long].map((upload) => orCutOff(convertOverHttp(upload)));
    await moment(400);
    await running.kill();
    const answer = await sent;
    if (answer?.status === 200) acknowledged.push(answer.body.job_id);
    else for (const ms of timesFrom(iso(startOf(round)), ROWS)) unsure.add(ms);
    for (const conversion of await Promise.all(conversions)) {
      if (conversion === undefined) cutOff += 1;
      else expect([conversion.status, conversion.bytes.equals(csv)]).toEqual([200, true]);
    }
    running = await processes.start();
    const [folder, lock, ...others] = readdirSync(uploads).sort();
    expect([lock, others]).toEqual([`${folder}.lock`, []]);
    expect(readdirSync(join(uploads, folder ?? ""))).toEqual([]);
    // A job fails after four lost workers. In this test, no job loses that many, even on a slow machine.
    if (round % 3 === 2) for (const job of acknowledged.slice(-3)) await done(job);
  }
  // If most kills came too late, this test would prove nothing.
  expect(acknowledged.length).toBeGreaterThan(ROUNDS / 2);
  expect(cutOff).toBeGreaterThan(ROUNDS / 2);
  expect((await convertOverHttp(long)).bytes.equals(csv)).toBe(true);

  let stored = 0;
  const loaded = new Set<number>();
  for (const job of acknowledged) {
    const details = await done(job);
    expect(details).toMatchObject({ device, samples_read: ROWS });
    expect(details.samples_stored + details.samples_known).toBe(ROWS);
    stored += details.samples_stored;
    for (const ms of timesFrom(details.start, ROWS)) loaded.add(ms);
  }
  // A load whose acknowledgement was lost is either completed or was never accepted.
  const present = await samplesBetween(START_MS, startOf(ROUNDS + 1));
  const times = present.map((sample) => sample["gnss.timestamp"] as number);
  expect(times.every((ms, i) => i === 0 || ms > (times[i - 1] ?? 0))).toBe(true);
  const there = new Set(times);
  expect([...loaded].filter((ms) => !there.has(ms))).toEqual([]);
  expect(present.findIndex((sample, i) => !isDeepStrictEqual(sample, sampleAt(times[i] ?? 0)))).toBe(-1);
  // Each sample was counted by the load that stored it.
  expect(stored).toBeLessThanOrEqual(times.length);
  expect(stored).toBeGreaterThanOrEqual(times.filter((ms) => !unsure.has(ms)).length);
});
