/**
 * The data of an integrator in the built service: a manager with recordings of many days, a squad, and a session for each day.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../siege/client.js";
import { newParty, type Party, prepare } from "../siege/scene.js";
import { type BuiltService, startBuiltService } from "./built-service.js";
import type { Ground } from "./ground.js";
import { DAY_MS, FIRST_SESSION_MS, recordingOfDay, SESSION_PERIOD_MS, SESSION_SAMPLES } from "./sessions.js";

export interface Integrator {
  coach: Party;
  /** A user with ordinary requests. */
  bystander: Party;
  squad: number;
  /** The sessions of the squad, one a day. */
  sessions: number[];
  /** Starts another process of the service on the same data. */
  start(): Promise<BuiltService>;
}

const OWNED_SINCE = "2020-01-01T00:00:00Z";
const EVER = "2999-01-01T00:00:00Z";
/** Recording of the bystander: ten minutes at 10 Hz. */
const TEN_MINUTES = { count: 6_000, periodMs: 100 };
/** Rate limits that no measurement reaches. */
const SETTINGS = { THROTTLE_FILES_PER_MINUTE: "1000000", THROTTLE_TOKENS_PER_MINUTE: "1000000" };
const JOB_POLL_MS = 50;
/** Processor time of an idle service, as a fraction of the time. */
const IDLE = 0.05;
const SETTLING_S = 120;

const at = (ms: number) => new Date(ms).toISOString();

/** @param days number of recordings of `SESSION_SAMPLES` */
export async function prepareIntegrator(
  ground: Ground,
  databaseUrl: string | null,
  days: number,
): Promise<Integrator> {
  const name = databaseUrl === null ? "embedded" : "postgres";
  const start = () => startBuiltService(join(ground.folder, `integrator-${name}`), databaseUrl, SETTINGS);
  const service = await start();
  const client = new Client(service.url, "127.0.0.2");
  try {
    const oauth = await prepare(service, ground.folder, ["coach", "bystander"]);
    const coach = await newParty(service, client, "coach", oauth, null);
    const bystander = await newParty(service, client, "bystander", oauth, TEN_MINUTES);
    await service.command("ownership", "backdate", coach.serial, "--start", OWNED_SINCE);
    for (let day = 0; day < days; day++) await upload(client, coach, day);
    const { token, device, athlete } = coach;
    const post = async (path: string, json: object) =>
      (await client.expect<{ id: number }>(201, path, { token, json })).id;
    const squad = await post("/api/v2/squads/", { name: "First team" });
    const own = { start_time: OWNED_SINCE, end_time: EVER };
    await post("/api/v2/members/", { squad, athlete, number: 1, params: {}, ...own });
    await post("/api/v2/assignments/", { device, athlete, ...own });
    const sessions: number[] = [];
    for (let day = 0; day < days; day++) {
      const startMs = FIRST_SESSION_MS + day * DAY_MS;
      const times = { start_time: at(startMs), end_time: at(startMs + SESSION_SAMPLES * SESSION_PERIOD_MS) };
      const json = { name: `Day ${day + 1}`, squad, kind: "match", sport: "soccer", ...times };
      sessions.push(await post("/api/v2/sessions/", json));
    }
    await settled(service);
    return { coach, bystander, squad, sessions, start };
  } finally {
    client.close();
    await service.stop();
  }
}

/** Returns the recording of a day. */
export async function bytesOfDay(serial: string, day: number): Promise<Uint8Array<ArrayBuffer>> {
  const stream = (await recordingOfDay(serial, day)) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function upload(client: Client, { token, serial }: Party, day: number): Promise<void> {
  const body = await bytesOfDay(serial, day);
  const { recordings } = await client.expect<{ recordings: [{ job: { job_id: string } }] }>(
    202,
    "/api/v2/recordings/",
    { method: "POST", token, body, headers: { "Content-Type": "application/octet-stream" } },
  );
  const path = `/api/v1/jobs/${recordings[0].job.job_id}/`;
  for (;;) {
    const { state } = await client.expect<{ state: string }>(200, path, { token });
    if (state === "SUCCESS") return;
    if (state === "FAILURE") throw new Error(`The recording of day ${day} was not loaded`);
    await sleep(JOB_POLL_MS);
  }
}

/** Waits until the service has computed the figures of the sessions and is idle. */
export async function settled(service: BuiltService): Promise<void> {
  let { processorS } = await service.figures();
  for (let second = 0; second < SETTLING_S; second++) {
    await sleep(1000);
    const before = processorS;
    ({ processorS } = await service.figures());
    if (processorS - before < IDLE) return;
  }
  throw new Error(`The service is still busy after ${SETTLING_S} s`);
}
