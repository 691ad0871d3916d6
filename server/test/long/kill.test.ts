import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { convert } from "asi-convert";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesOf, sampleAt, timesFrom, walk } from "../recordings.js";
import { ServiceProcess } from "./service-process.js";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 25);
const SERIAL = "KILL-1";
const DAY_MS = 86_400_000;
const START_MS = Date.parse("2024-03-01T10:00:00Z");
const iso = (ms: number) => new Date(ms).toISOString();

/** Rows of a recording: 20 minutes at 10 Hz, long enough to be killed in the middle. */
const ROWS = 12_000;

let service: ServiceProcess;
let device: number;

beforeAll(async () => {
  service = await ServiceProcess.create();
  device = await service.prepare(SERIAL);
});

afterAll(() => service.destroy());

/** A moment within `ms`, another one each time: whatever is under way then is cut off. */
const moment = (ms: number) => sleep(Math.random() * ms);

describe("kill -9", () => {
  it("during bulk load: every acknowledged job finishes once, and no chunk is torn", {
    timeout: 600_000,
  }, async () => {
    /** Rounds overlap by half a recording, so that later loads add to chunks of earlier ones. */
    const startOf = (round: number) => START_MS + (round * ROWS * 100) / 2;
    const acknowledged: string[] = [];
    const loaded = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      const recording = await walk(SERIAL, iso(startOf(round)), ROWS);
      const sent = service
        .send("POST", `/api/v1/devices/${device}/bulk-load/`, {
          asi_b64: Buffer.from(recording).toString("base64"),
        })
        .then(
          ({ status, body }) => (status === 200 ? String(body.job_id) : undefined),
          () => undefined,
        );
      // In every third round the kill may come before the acknowledgement.
      if (round % 3 !== 0) await sent;
      await moment(400);
      await service.kill();
      const job = await sent;
      if (job !== undefined) acknowledged.push(job);
      await service.start();
    }
    expect(acknowledged.length).toBeGreaterThan(ROUNDS / 2);

    let stored = 0;
    for (const job of acknowledged) {
      const done = async () => (await service.send("GET", `/api/v1/jobs/${job}/`)).body.state;
      await expect.poll(done, { timeout: 120_000, interval: 200 }).toBe("SUCCESS");
      const { details } = (await service.send("GET", `/api/v1/jobs/${job}/`)).body;
      expect(details).toMatchObject({ device, samples_read: ROWS });
      expect(details.samples_stored + details.samples_known).toBe(ROWS);
      stored += details.samples_stored;
      for (const ms of timesFrom(details.start, ROWS)) loaded.add(ms);
    }
    // A load whose acknowledgement was lost with the process is done all the same, or was never taken.
    const present: unknown[] = [];
    for (let from = START_MS; from < startOf(ROUNDS + 1); from += DAY_MS) {
      for (let page = 1, next: number | null = 1; next !== null; page++) {
        const query = new URLSearchParams({ start: iso(from), stop: iso(from + DAY_MS - 1), limit: "25000" });
        const { status, body } = await service.send(
          "GET",
          `/api/v1/devices/${device}/raw-data/?${query}&page=${page}`,
        );
        expect(status).toBe(200);
        present.push(...body.results);
        next = body.next;
      }
    }
    const times = (present as { "gnss.timestamp": number }[]).map((sample) => sample["gnss.timestamp"]);
    expect(times.every((ms, i) => i === 0 || ms > (times[i - 1] ?? 0))).toBe(true);
    const there = new Set(times);
    expect([...loaded].filter((ms) => !there.has(ms))).toEqual([]);
    expect(present.findIndex((sample, i) => !isDeepStrictEqual(sample, sampleAt(times[i] ?? 0)))).toBe(-1);
    // Each sample was counted by the one load that stored it.
    expect(stored).toBeLessThanOrEqual(times.length);
    if (times.length === loaded.size) expect(stored).toBe(loaded.size);
  });

  it("during conversion: no upload stays behind, and no half CSV passes for a whole one", {
    timeout: 600_000,
  }, async () => {
    const recording = await walk(SERIAL, iso(START_MS), 5 * ROWS);
    const csv = Buffer.from(await bytesOf(convert(recording).csv));
    const uploads = join(service.dataDir, "uploads");
    const convertIt = async () => {
      const form = new FormData();
      form.append("file", new Blob([recording as Uint8Array<ArrayBuffer>]), "x.asi");
      const response = await fetch(`${service.url}/api/v2/files/asi-to-csv/`, {
        method: "POST",
        headers: { Authorization: `Bearer ${service.token}` },
        body: form,
      });
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    for (let round = 0; round < ROUNDS; round++) {
      const answers = [convertIt(), convertIt()].map((answer) => answer.catch(() => undefined));
      await moment(300);
      await service.kill();
      for (const answer of await Promise.all(answers)) {
        if (answer !== undefined) expect([answer.status, answer.bytes.equals(csv)]).toEqual([200, true]);
      }
      await service.start();
      const folders = readdirSync(uploads);
      expect(folders).toHaveLength(1);
      expect(readdirSync(join(uploads, folders[0] ?? ""))).toEqual(["lock"]);
    }
    expect((await convertIt()).bytes.equals(csv)).toBe(true);
  });
});
