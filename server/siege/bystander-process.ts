/** Sends twenty ordinary requests a second, without waiting for earlier responses. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Experience, Order } from "./bystander.js";
import { Client, type Sent } from "./client.js";

const INTERVAL_MS = 50;

/** Timeout of a request. */
const TIMEOUT_MS = 30_000;

interface Wish extends Sent {
  path: string;
  status: number;
  /** Whether the request causes a webhook call. */
  tells?: boolean;
}

const [order] = (await once(process, "message")) as [Order];
const { party } = order;
const client = new Client(order.url, "127.0.0.1");
const nothing = (): Experience => ({
  latenciesMs: [],
  slowest: null,
  errors: [],
  webhookDelaysMs: [],
  resent: 0,
});
let experience = nothing();

/** Times of the responses to changes whose events have not arrived at the webhook. */
let untold: number[] = [];
const receiver = createServer((request, response) => {
  request.resume().once("end", () => {
    const now = performance.now();
    experience.webhookDelaysMs.push(...untold.map((at) => now - at));
    untold = [];
    response.writeHead(204).end();
  });
}).listen(0, "127.0.0.1");
await once(receiver, "listening");

await client.expect(200, `/api/v1/activities/${party.activity}/webhooks/`, {
  token: party.token,
  json: {
    webhook_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    secret_token: "of the bystander",
    activity_events: true,
    timeframes_events: false,
  },
});

const iso = (ms: number) => new Date(ms).toISOString();
const device = `/api/v1/devices/${party.device}`;
const boundary = "----asi-siege";
const upload = Buffer.concat([
  Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.asi"\r\n` +
      "Content-Type: application/octet-stream\r\n\r\n",
  ),
  Buffer.from(order.recordingBase64, "base64"),
  Buffer.from(`\r\n--${boundary}--\r\n`),
]);

const ordinary: ((round: number) => Wish)[] = [
  () => ({ path: "/api/v1/account/", status: 200 }),
  () => ({ path: "/api/v1/devices/", status: 200 }),
  () => ({ path: `${device}/latest-preprocessed-data/`, status: 200 }),
  // Use a different interval each time, because the service would cache equal pages.
  (round) => ({
    path: `${device}/preprocessed-data/?start=${party.startMs + round}&stop=${iso(party.stopMs)}&limit=300`,
    status: 200,
  }),
  () => ({
    path: `${device}/preprocessed-data-ranges/?start=${party.startMs}&stop=${party.stopMs}`,
    status: 200,
  }),
  () => ({ path: "/api/v1/activities/", status: 200 }),
  () => ({ path: `/api/v1/timeframes/${party.timeframe}/`, status: 200 }),
  () => ({ path: `/api/v1/timeframes/${party.timeframe}/computed-data/`, status: 200 }),
  (round) => ({
    method: "PATCH",
    path: `/api/v1/activities/${party.activity}/`,
    json: { name: `Match ${round}` },
    status: 200,
    tells: true,
  }),
];

/** Less frequent requests: a login and a conversion. */
const rare: (() => Wish)[] = [
  () => ({
    path: "/oauth2/token/",
    method: "POST",
    body: new URLSearchParams({
      grant_type: "password",
      username: party.username,
      password: party.password,
      ...party.oauth,
    }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    status: 200,
  }),
  () => ({
    path: "/api/v2/files/asi-to-csv/",
    method: "POST",
    body: upload,
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    status: 200,
  }),
];
/** Number of requests from one less frequent request to the next. */
const RARELY = 25;

function wishOf(round: number): Wish {
  const kinds = round % RARELY === 0 ? rare : ordinary;
  const kind = kinds[(round % RARELY === 0 ? round / RARELY : round) % kinds.length];
  if (kind === undefined) throw new Error("There is no such wish");
  return kind(round);
}

async function ask(round: number, dueAt: number): Promise<void> {
  const { path, status, tells, ...sent } = wishOf(round);
  const answer = await client.send(path, { token: party.token, timeoutMs: TIMEOUT_MS, ...sent });
  const latencyMs = performance.now() - dueAt;
  const request = `${sent.method ?? "GET"} ${path.replace(/\?.*/, "")}`;
  experience.latenciesMs.push(latencyMs);
  if (latencyMs > (experience.slowest?.latencyMs ?? 0)) experience.slowest = { request, latencyMs };
  if (answer.isResent) experience.resent++;
  if (answer.status !== status) {
    experience.errors.push(`${request}: ${answer.status} ${answer.body.subarray(0, 200)}`);
  } else if (tells) {
    untold.push(performance.now());
  }
}

process.on("message", (question) => {
  if (question !== "experience") return;
  process.send?.(experience);
  experience = nothing();
});
process.on("disconnect", () => process.exit(0));

const begin = performance.now();
let round = 0;
setInterval(() => {
  // A late timer makes up for missed requests.
  for (; performance.now() - begin >= round * INTERVAL_MS; round++)
    void ask(round, begin + round * INTERVAL_MS);
}, 5);
process.send?.("ready");
