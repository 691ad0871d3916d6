/**
 * Measures the operations that integrators use in addition to downloads: changes, tokens, live data, webhooks and the Model
 * Context Protocol.
 */
import { EventClient } from "../test/event-source.js";
import { Client } from "./client.js";
import { bytesOfDay, type Integrator, settled } from "./integrator.js";
import { deviceFlowMs, watchWebhook } from "./machines.js";
import { interleave, median, type Timed } from "./measure.js";
import { DAY_MS } from "./sessions.js";

const KINDS = [
  "changes",
  "recording stream",
  "live",
  "live of a squad",
  "live of a session",
  "live ticket",
  "client credentials",
  "personal token",
  "new personal token",
  "device flow",
  "webhook",
  "metadata",
  "mcp figures",
  "mcp season",
] as const;

/** Medians of the response times, ms. */
export type IntegrationFigures = Record<(typeof KINDS)[number], number>;

const JSON_TYPE = "application/json";
const WARM_UP_ROUNDS = 3;
/** Number of changes on the measured page. */
const LATER_SESSIONS = 20;

export async function measureIntegration(data: Integrator, rounds: number): Promise<IntegrationFigures> {
  const { token, serial, password } = data.coach;
  const service = await data.start();
  const client = new Client({ url: service.url, token });
  const post = async (path: string, json: object) =>
    JSON.parse(String((await client.post(path, JSON_TYPE, JSON.stringify(json))).body));
  try {
    const application = await post("/api/v2/applications/", {
      name: "Warehouse",
      scopes: ["samples:read"],
      password,
    });
    const credentials = String(
      new URLSearchParams({
        grant_type: "client_credentials",
        client_id: application.client_id,
        client_secret: application.client_secret,
      }),
    );
    const cursor = await cursorBeforeChanges(client, data, post);
    const stream = `/api/v2/devices/${serial}/stream/?recording=bench`;
    await fetch(`${service.url}${stream}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/octet-stream" },
      body: await bytesOfDay(serial, 0),
    }).then((response) => response.text());
    const wanted = { name: "Warehouse", scopes: ["sessions:read"], valid_days: 1, password };
    const { token: personalToken } = await post("/api/v2/tokens/", wanted);
    const program = new Client({ url: service.url, token: personalToken });
    const webhook = await watchWebhook("session.changed", post);
    const approve = async (code: string) => {
      await client.post(
        "/api/v2/device-sign-ins/decide/",
        JSON_TYPE,
        JSON.stringify({ code, approve: true }),
      );
    };
    const tool = (name: string, given: object) => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
      return async () => {
        const { ms, body } = await client.post("/mcp/", JSON_TYPE, JSON.stringify(call));
        if (!String(body).includes('"structuredContent"')) throw new Error(`${name}: ${body}`);
        return ms;
      };
    };
    const cases: Record<(typeof KINDS)[number], Timed> = {
      changes: () => client.time(`/api/v2/changes/?cursor=${cursor}&limit=${LATER_SESSIONS}`),
      "recording stream": () => client.time(stream),
      live: () => firstEventMs(`${service.url}/api/v2/live/`, token),
      "live of a squad": () => firstEventMs(`${service.url}/api/v2/squads/${data.squad}/live/`, token),
      "live of a session": () =>
        firstEventMs(`${service.url}/api/v2/sessions/${data.sessions.at(-1)}/live/`, token),
      "live ticket": async () => (await client.post("/api/v2/live-tickets/", JSON_TYPE, "")).ms,
      "client credentials": async () =>
        (await client.post("/oauth2/token/", "application/x-www-form-urlencoded", credentials)).ms,
      "personal token": () => program.time("/api/v2/sessions/?limit=20"),
      "new personal token": async () =>
        (await client.post("/api/v2/tokens/", JSON_TYPE, JSON.stringify(wanted))).ms,
      "device flow": () => deviceFlowMs(service.url, approve),
      webhook: (round) =>
        webhook.arrivalMs(() => post("/api/v2/sessions/", laterSession(data.squad, 100 + round))),
      metadata: () => client.time("/.well-known/oauth-authorization-server"),
      "mcp figures": tool("session_figures", { session: data.sessions[0] }),
      "mcp season": tool("squad_season", { squad: data.squad }),
    };
    await settled(service);
    try {
      const times = await interleave(cases, rounds, WARM_UP_ROUNDS);
      const medians = KINDS.map((kind) => [kind, median(times[kind])] as const);
      return Object.fromEntries(medians) as IntegrationFigures;
    } finally {
      program.close();
      await webhook.stop();
    }
  } finally {
    client.close();
    await service.stop();
  }
}

/** Returns a session without samples, in the future. */
function laterSession(squad: number, number: number): object {
  const startMs = Date.UTC(2030, 0, 10, 10) + number * DAY_MS;
  const times = {
    start_time: new Date(startMs).toISOString(),
    end_time: new Date(startMs + 3_600_000).toISOString(),
  };
  return { name: `Later ${number}`, squad, kind: "match", sport: "soccer", ...times };
}

/** @returns a cursor that is followed by a page of changes */
async function cursorBeforeChanges(
  client: Client,
  { squad }: Integrator,
  post: (path: string, json: object) => Promise<{ id: number }>,
): Promise<string> {
  const read = async (path: string) => JSON.parse(String(await client.get(path)));
  const { next_cursor: cursor } = await read("/api/v2/changes/");
  for (let i = 0; i < LATER_SESSIONS; i++) await post("/api/v2/sessions/", laterSession(squad, i));
  const { results } = await read(`/api/v2/changes/?cursor=${cursor}`);
  if (results.length < LATER_SESSIONS) throw new Error(`The page has ${results.length} changes`);
  return cursor;
}

/** Returns the time from the request until the first event arrives, which contains the newest sample. */
async function firstEventMs(url: string, token: string): Promise<number> {
  const begin = performance.now();
  const events = await EventClient.open(url, { Authorization: `Bearer ${token}` });
  await events.next();
  const ms = performance.now() - begin;
  events.leave();
  return ms;
}
