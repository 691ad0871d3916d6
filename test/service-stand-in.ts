import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { formatSamples } from "../src/index.js";

// A stand-in for the service, for `asi pull` and `asi stream`. The tests of the service use the real one.

export const TOKEN = "token-of-ann";

export interface StandInDevice {
  id: number;
  serial: string;
  /** Times of its samples, ascending, ms since 1970. */
  times: number[];
}

/** Responds instead of the stand-in, or returns false. */
export type Interception = (request: URL, response: ServerResponse, message: IncomingMessage) => boolean;

const INFO = { formatVersion: 1, deviceName: "", deviceType: "", firmwareVersion: "", periodMs: 1000 };

/** Starts a stand-in that the account of `TOKEN` uses. @returns its address */
export async function startStandIn(
  devices: readonly StandInDevice[],
  intercept: Interception = () => false,
): Promise<{ address: string; requests: string[]; stop: () => void }> {
  const requests: string[] = [];
  const server = createServer(async (message, response) => {
    const url = new URL(message.url ?? "", "http://stand-in");
    requests.push(`${url.pathname}${url.search}`);
    if (intercept(url, response, message)) return;
    if (message.headers.authorization !== `Bearer ${TOKEN}`) {
      response
        .writeHead(403, { "X-Error-Code": "invalid_token" })
        .end('{"detail":"Invalid or expired token."}');
      return;
    }
    const [, id, kind] = /devices\/(\d+)\/([a-z-]+)\//.exec(url.pathname) ?? [];
    const device = devices.find((one) => String(one.id) === id);
    if (url.pathname === "/api/v1/account/") sendJson(response, { id: 5 });
    else if (url.pathname === "/api/v1/device-ownerships/")
      sendJson(response, page(url, devices.map(ownership)));
    else if (device !== undefined && kind === "preprocessed-data-ranges")
      sendJson(response, page(url, rangesOf(device, url)));
    else if (device !== undefined && kind === "samples") {
      response.writeHead(200);
      for await (const piece of samplesOf(device, url)) response.write(piece);
      response.end();
    } else if (/^\/api\/v2\/devices\/[^/]+\/stream\/$/.test(url.pathname))
      await takeStream(url, response, message);
    else response.writeHead(404).end("Nothing here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, requests, stop };
}

/** Like `startStandIn`, until the end of the test. */
export async function standIn(devices: readonly StandInDevice[], intercept?: Interception) {
  const started = await startStandIn(devices, intercept);
  onTestFinished(started.stop);
  return started;
}

export function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** Takes the whole recording in one request. */
async function takeStream(url: URL, response: ServerResponse, message: IncomingMessage): Promise<void> {
  const state = { recording: url.searchParams.get("recording"), stored_until: null };
  if (message.method === "GET") return sendJson(response, { ...state, stored_bytes: 0, ended: false });
  let bytes = Number(url.searchParams.get("offset"));
  for await (const chunk of message) bytes += (chunk as Buffer).length;
  response
    .writeHead(200)
    .end(`${JSON.stringify({ ...state, stored_bytes: bytes, end: "complete", damage: {} })}\n`);
}

/** Pages have two results, so that a few devices result in several pages. */
function page(url: URL, all: readonly object[]): object {
  const number = Number(url.searchParams.get("page"));
  const next = all.length > number * 2 ? number + 1 : null;
  return {
    count: all.length,
    page: number,
    next,
    previous: null,
    results: all.slice(number * 2 - 2, number * 2),
  };
}

const ownership = ({ id, serial, times }: StandInDevice) => ({
  device: id,
  device_details: { id, serial_number: serial },
  start_time: new Date(times[0] ?? 0).toISOString(),
  end_time: "2999-12-31T23:59:59.000Z",
});

function rangesOf({ times }: StandInDevice, { searchParams }: URL): object[] {
  const [start, stop] = [Number(searchParams.get("start")), Number(searchParams.get("stop"))];
  const ranges: { start: number; stop: number; size: number }[] = [];
  for (const ms of times.filter((one) => one >= start && one <= stop)) {
    const last = ranges.at(-1);
    if (last === undefined || ms - last.stop > 300_000) ranges.push({ start: ms, stop: ms, size: 1 });
    else Object.assign(last, { stop: ms, size: last.size + 1 });
  }
  return ranges.map((one) => ({
    start: new Date(one.start).toISOString(),
    stop: new Date(one.stop).toISOString(),
    size: one.size,
  }));
}

function samplesOf({ serial, times }: StandInDevice, { searchParams }: URL) {
  const [from, to] = ["from", "to"].map((name) => Date.parse(searchParams.get(name) ?? ""));
  const own = times.filter((ms) => ms >= (from ?? 0) && ms < (to ?? 0));
  const { length } = own;
  const batch = {
    length,
    timestampMs: Float64Array.from(own),
    latitudeE7: Int32Array.from(own, () => 473_700_000),
    longitudeE7: Int32Array.from(own, () => 85_500_000),
    altitudeMm: Int32Array.from(own, () => 408_000),
    speedMmPerS: Int32Array.from(own, () => 3000),
    hr: new Uint8Array(length),
    fixType: new Uint8Array(length).fill(3),
  };
  const format = searchParams.get("format") as "csv" | "jsonl" | "parquet";
  return formatSamples([batch], { format, info: { ...INFO, serial } });
}
