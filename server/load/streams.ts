/** Devices that stream their recordings in real time: 10 rows a second and an ECG of 250 Hz. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBuiltService } from "../bench/built-service.js";
import type { Ground } from "../bench/ground.js";
import { Client } from "../siege/client.js";
import { logIn } from "../siege/scene.js";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { ecgWalkParts, Gateway, type Line } from "../test/gateway.js";
import { observe } from "./service-metrics.js";

export interface StreamsOptions {
  streams: number;
  seconds: number;
  databaseUrl: string | null;
  tell(line: string): void;
}

export interface StreamsResult {
  /** Processor time of the service, divided by the time of the streams. */
  cores: number;
  /** Age of the oldest sample of each write when the gateway learns that it is stored. */
  agesMs: number[];
  peakMemoryMb: number;
  errors: string[];
}

/** Each part has a row and a tenth of a second of the ECG. */
const PART_MS = 100;
/** Time to open the connections. */
const LEAD_MS = 3_000;

const serialOf = (device: number) => `STREAM-${device}`;

export async function playStreams(ground: Ground, options: StreamsOptions): Promise<StreamsResult> {
  const { streams, seconds, tell } = options;
  const metricsPort = await freePort();
  const service = await startBuiltService(join(ground.folder, "data"), options.databaseUrl, {
    METRICS_PORT: String(metricsPort),
  });
  const client = new Client(service.url, "127.0.1.1");
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
    tell(`${streams} devices stream for ${seconds} s`);
    const gateways = serials.map((serial) => new Gateway(service.url, serial, "recording=load", token));
    const startMs = Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000;
    const start = new Date(startMs).toISOString();
    const recordings = await Promise.all(serials.map((serial) => ecgWalkParts(serial, start, seconds, 10)));
    return await play(gateways, recordings, {
      startMs,
      seconds,
      metricsUrl: `http://127.0.0.1:${metricsPort}`,
    });
  } finally {
    client.close();
    await service.stop();
  }
}

async function play(
  gateways: readonly Gateway[],
  recordings: readonly Uint8Array[][],
  { startMs, seconds, metricsUrl }: { startMs: number; seconds: number; metricsUrl: string },
): Promise<StreamsResult> {
  const agesMs: number[] = [];
  const errors: string[] = [];
  const ends = gateways.map((gateway) => follow(gateway, agesMs));
  for (const [i, gateway] of gateways.entries()) gateway.send(recordings[i]?.[0] ?? new Uint8Array());
  await sleep(startMs - Date.now());
  const before = await observe(metricsUrl);
  const fromMs = performance.now();
  let peakBytes = 0;
  for (let part = 1; part <= seconds * 10; part++) {
    // A row is sent when it is due.
    await sleep(Math.max(0, startMs + part * PART_MS - Date.now()));
    for (const [i, gateway] of gateways.entries()) gateway.send(recordings[i]?.[part] ?? new Uint8Array());
    if (part % 50 === 0) peakBytes = Math.max(peakBytes, (await observe(metricsUrl)).residentBytes);
  }
  const after = await observe(metricsUrl);
  const cores = (after.processorS - before.processorS) / ((performance.now() - fromMs) / 1000);
  for (const gateway of gateways) gateway.finish();
  for (const [i, end] of (await Promise.all(ends)).entries()) {
    const isWhole = end?.end === "complete" && end.samples_stored === seconds * 10;
    if (!isWhole) errors.push(`${serialOf(i)}: ${JSON.stringify(end)}`);
  }
  return { cores, agesMs, peakMemoryMb: peakBytes / 1e6, errors };
}

/** Reads the lines. @returns the last line */
async function follow(gateway: Gateway, agesMs: number[]): Promise<Line | undefined> {
  let last: Line | undefined;
  for (let line = await gateway.next(); line !== null; line = await gateway.next()) {
    const oldestMs = (last?.stored_until ?? Number.NaN) + PART_MS;
    if (line.stored_until !== null && oldestMs <= line.stored_until) agesMs.push(Date.now() - oldestMs);
    last = line;
  }
  return last;
}
