import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Resource } from "asi-client";
import { type EncodableRow, encode } from "asi-convert";
import type { BuiltService } from "../bench/built-service.js";
import type { Client } from "./client.js";

/** A manager with a device, a recording, an activity and a time frame, like an ordinary client. */
export interface Party {
  id: number;
  username: string;
  password: string;
  token: string;
  oauth: Record<string, string>;
  device: number;
  serial: string;
  athlete: number;
  activity: number;
  timeframe: number;
  /** Ids of the JSON schemas, by name. */
  schemas: Record<string, number>;
  /** First and last instant of the recording, ms. */
  startMs: number;
  stopMs: number;
}

const LOAD_TIMEOUT_MS = 120_000;
/** Start of the ownerships, long before all recordings of the siege. */
const OWNED_SINCE = "2020-01-01T00:00:00Z";
/** Start time of every recording. */
const FIRST_MS = Date.UTC(2024, 5, 1, 10);

function* rows(startMs: number, count: number, periodMs: number): Generator<EncodableRow> {
  for (let i = 0; i < count; i++) {
    yield {
      timestamp: startMs + i * periodMs,
      latitude: 47.37 + (i % 10_000) / 1e7,
      longitude: 8.55 - (i % 10_000) / 1e7,
      altitude: 408,
      speed: (i % 70) / 10,
      hr: i % 10 === 0 ? 100 + (i % 90) : null,
    };
  }
}

/** Creates a recording of a walk. */
export async function recording(
  serial: string,
  startMs: number,
  count: number,
  periodMs: number,
): Promise<Uint8Array> {
  const header = { serial, deviceName: "tracker", deviceType: "T1", firmwareVersion: "1.0.0", periodMs };
  const stream = encode(rows(startMs, count, periodMs), header) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Recording of a party: number of rows, and their interval. */
export interface Session {
  count: number;
  periodMs: number;
}

/** A page of a list. */
interface Page<T> {
  results: T[];
}

/** Creates objects for the parties that only the operator can create: an OAuth application, and a device per name. */
export async function prepare(
  service: BuiltService,
  folder: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const oauth = (await service.command("app", "create", "--name", "siege")) as Record<string, string>;
  const file = join(folder, "devices.csv");
  const lines = names.map((name) => `${serialOf(name)},${serialOf(name)},T1`);
  writeFileSync(file, `${["serial_number,device_name,device_type", ...lines].join("\n")}\n`);
  await service.command("device", "import", file);
  return oauth;
}

const serialOf = (name: string) => `S-${name.toUpperCase()}`;

/**
 * Registers a manager and creates all data of a party.
 * @param session the recording, with a time frame over it; null for none
 */
export async function newParty(
  service: BuiltService,
  client: Client,
  name: string,
  oauth: Record<string, string>,
  session: Session | null,
): Promise<Party> {
  const serial = serialOf(name);
  const password = `a passphrase of ${name}`;
  const { id } = await client.expect<Resource["Manager"]>(
    201,
    "/api/v1/managers/?create_default_athlete=true",
    {
      json: { username: name, email: `${name}@example.org`, password, athlete_profile: {} },
    },
  );
  const token = await logIn(client, { username: name, password, oauth });
  const api = <Body>(status: number, method: string, path: string, json?: unknown): Promise<Body> =>
    client.expect<Body>(status, `/api/v1${path}`, { method, token, ...(json === undefined ? {} : { json }) });

  const device = await api<Resource["Device"]>(201, "POST", "/devices/take-ownership/", {
    serial_number: serial,
    device_name: serial,
  });
  const list = await api<Page<Resource["JsonSchema"]>>(200, "GET", "/json-schemas/");
  const schemas = Object.fromEntries(list.results.map((schema) => [schema.name, schema.id]));
  const athletes = await api<Page<Resource["Athlete"]>>(200, "GET", `/athletes/?managed_by=${id}`);
  const [athlete] = athletes.results;
  if (athlete === undefined) throw new Error(`${name} has no athlete`);
  const activity = await api<Resource["Activity"]>(201, "POST", "/activities/", {
    name: "A match",
    json: { sport: "soccer" },
    json_schema: schemas.activity_soccer,
    owner: id,
  });
  const { count, periodMs } = session ?? { count: 2, periodMs: 1000 };
  const party = {
    id,
    username: name,
    password,
    token,
    oauth,
    device: device.id,
    serial,
    athlete: athlete.id,
    activity: activity.id,
    timeframe: 0,
    schemas,
    startMs: FIRST_MS,
    stopMs: FIRST_MS + (count - 1) * periodMs,
  };
  if (session === null) return party;
  await service.command("ownership", "backdate", serial, "--start", OWNED_SINCE);
  const bytes = await recording(serial, FIRST_MS, count, periodMs);
  const asi_b64 = Buffer.from(bytes).toString("base64");
  const job = await api<Resource["Job"]>(200, "POST", `/devices/${device.id}/bulk-load/`, { asi_b64 });
  await loaded(() => api(200, "GET", `/jobs/${job.job_id}/`));
  const timeframe = await api<Resource["Timeframe"]>(201, "POST", "/timeframes/", timeframeOf(party));
  return { ...party, timeframe: timeframe.id };
}

/** Returns the body of a time frame over the whole recording of a party. */
export const timeframeOf = (party: Party, changes: Record<string, unknown> = {}) => ({
  start_time: new Date(party.startMs).toISOString(),
  end_time: new Date(party.stopMs).toISOString(),
  params: {},
  device: party.device,
  activity: party.activity,
  athlete: party.athlete,
  owner: party.id,
  json_schema: party.schemas.timeframe_soccer,
  ...changes,
});

export async function logIn(
  client: Client,
  { username, password, oauth }: Pick<Party, "username" | "password" | "oauth">,
): Promise<string> {
  const { status, body } = await client.form("/oauth2/token/", {
    grant_type: "password",
    username,
    password,
    ...oauth,
  });
  if (status !== 200) throw new Error(`No token for ${username}: ${status} ${body}`);
  return JSON.parse(body.toString()).access_token;
}

async function loaded(look: () => Promise<Resource["Job"]>): Promise<void> {
  for (const begin = Date.now(); Date.now() - begin < LOAD_TIMEOUT_MS; ) {
    const { state, details } = await look();
    if (state === "SUCCESS") return;
    if (state === "FAILURE") throw new Error(`The load failed: ${JSON.stringify(details)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The load took too long");
}
