/** Measures the service while devices stream in real time: each sends 10 rows and 250 ECG values a second. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../siege/client.js";
import { logIn } from "../siege/scene.js";
import { EventClient } from "../test/event-source.js";
import { ecgWalkParts, Gateway, type Line } from "../test/gateway.js";
import { type BuiltService, startBuiltService } from "./built-service.js";
import type { Ground } from "./ground.js";
import { quantile } from "./measure.js";

export interface StreamsOptions {
  streams: number;
  seconds: number;
  databaseUrl: string | null;
  tell?(line: string): void;
}

export interface StreamsResult {
  /** Processor time of the service, divided by the time of the streams. */
  cores: number;
  /**
   * Time from sending a sample until the gateway receives the confirmation that it is stored, for the oldest sample of each
   * write.
   */
  storedMs: number[];
  /** Time from sending a sample until a client of `/api/v2/live/` receives it. */
  liveMs: number[];
  peakMemoryMb: number;
  errors: string[];
}

/** Percentiles of the times, ms. */
export interface StreamFigures {
  cores: number;
  storedP50Ms: number;
  storedP99Ms: number;
  liveP50Ms: number;
  liveP99Ms: number;
}

/** @throws Error if a stream was not stored completely */
export async function measureStreams(ground: Ground, options: StreamsOptions): Promise<StreamFigures> {
  const { cores, storedMs, liveMs, errors } = await playStreams(ground, options);
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return {
    cores,
    storedP50Ms: quantile(storedMs, 0.5),
    storedP99Ms: quantile(storedMs, 0.99),
    liveP50Ms: quantile(liveMs, 0.5),
    liveP99Ms: quantile(liveMs, 0.99),
  };
}

/** Each part has a row and a tenth of a second of the ECG. */
const PARTS_PER_SECOND = 10;
const PART_MS = 1000 / PARTS_PER_SECOND;
/** Time to open the connections. */
const LEAD_MS = 3_000;
/** Fraction of the run that is measured before a client reads the samples live, because the client needs processor time. */
const WITHOUT_LIVE = 2 / 3;

const serialOf = (device: number) => `STREAM-${device}`;

export async function playStreams(ground: Ground, options: StreamsOptions): Promise<StreamsResult> {
  const { streams, seconds, databaseUrl, tell } = options;
  const dataDir = join(ground.folder, `streams-${databaseUrl === null ? "embedded" : "postgres"}`);
  const service = await startBuiltService(dataDir, databaseUrl);
  const client = new Client(service.url, "127.0.1.2");
  try {
    const oauth = (await service.command("app", "create", "--name", "load")) as Record<string, string>;
    const serials = Array.from({ length: streams }, (_, i) => serialOf(i));
    const file = join(ground.folder, "devices.csv");
    const lines = serials.map((serial) => `${serial},${serial},T1`);
    writeFileSync(file, `serial_number,device_name,device_type\n${lines.join("\n")}\n`);
    await service.command("device", "import", file);
    const [username, password] = ["coach", "a passphrase of coach"];
    const json = { username, password, email: "coach@example.org" };
    await client.expect(201, "/api/v1/managers/", { json });
    const token = await logIn(client, { username, password, oauth });
    for (const serial of serials)
      await client.expect(201, "/api/v1/devices/take-ownership/", {
        token,
        json: { serial_number: serial, device_name: serial },
      });
    tell?.(`${streams} devices stream for ${seconds} s`);
    const gateways = serials.map((serial) => new Gateway(service.url, serial, "recording=load", token));
    const startMs = Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000;
    const start = new Date(startMs).toISOString();
    const recordings = await Promise.all(
      serials.map((serial) => ecgWalkParts(serial, start, seconds, PARTS_PER_SECOND)),
    );
    return await play(service, gateways, recordings, { startMs, seconds, token });
  } finally {
    client.close();
    await service.stop();
  }
}

async function play(
  service: BuiltService,
  gateways: readonly Gateway[],
  recordings: readonly Uint8Array[][],
  { startMs, seconds, token }: { startMs: number; seconds: number; token: string },
): Promise<StreamsResult> {
  const storedMs: number[] = [];
  const liveMs: number[] = [];
  const errors: string[] = [];
  const ends = gateways.map((gateway) => follow(gateway, storedMs));
  const sendPart = (part: number) => {
    for (const [i, gateway] of gateways.entries()) gateway.send(recordings[i]?.[part] ?? new Uint8Array());
  };
  const playTo = async (last: number) => {
    for (; part <= last; part++) {
      // A row is sent when it is due.
      await sleep(Math.max(0, startMs + part * PART_MS - Date.now()));
      sendPart(part);
    }
  };
  sendPart(0);
  let part = 1;
  await sleep(startMs - Date.now());
  const before = await service.figures();
  const fromMs = performance.now();
  await playTo(Math.round(seconds * PARTS_PER_SECOND * WITHOUT_LIVE));
  const after = await service.figures();
  const cores = (after.processorS - before.processorS) / ((performance.now() - fromMs) / 1000);
  const watching = watch(service, token, Date.now(), liveMs);
  await playTo(seconds * PARTS_PER_SECOND);
  for (const gateway of gateways) gateway.finish();
  for (const [i, end] of (await Promise.all(ends)).entries()) {
    const isWhole = end?.end === "complete" && end.samples_stored === seconds * PARTS_PER_SECOND;
    if (!isWhole) errors.push(`${serialOf(i)}: ${JSON.stringify(end)}`);
  }
  (await watching).leave();
  return { cores, storedMs, liveMs, peakMemoryMb: after.peakMemoryMb, errors };
}

/** Returns the time at which a row is sent: the end of its part. */
const sentAt = (sampleMs: number) => sampleMs + PART_MS;

/** Reads the lines. @returns the last line */
async function follow(gateway: Gateway, storedMs: number[]): Promise<Line | undefined> {
  let last: Line | undefined;
  for (let line = await gateway.next(); line !== null; line = await gateway.next()) {
    const oldestMs = (last?.stored_until ?? Number.NaN) + PART_MS;
    if (line.stored_until !== null && oldestMs <= line.stored_until)
      storedMs.push(Date.now() - sentAt(oldestMs));
    last = line;
  }
  return last;
}

/** Receives the samples live. Does not count samples from before its start. */
async function watch(
  { url }: BuiltService,
  token: string,
  startMs: number,
  liveMs: number[],
): Promise<EventClient> {
  const events = await EventClient.open(`${url}/api/v2/live/`, { Authorization: `Bearer ${token}` });
  const read = async () => {
    for (let event = await events.next(); event !== null; event = await events.next()) {
      const { samples } = event.data as { samples?: { "gnss.timestamp": number }[] };
      const nowMs = Date.now();
      for (const { "gnss.timestamp": ms } of samples ?? [])
        if (sentAt(ms) >= startMs) liveMs.push(nowMs - sentAt(ms));
    }
  };
  // The connection ends before the next event.
  void read().catch(() => undefined);
  return events;
}
