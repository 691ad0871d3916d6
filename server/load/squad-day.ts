/**
 * Simulates a match day of squads. After a match, each squad loads its recordings and creates its session, while every
 * coach reads.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBuiltService } from "../bench/built-service.js";
import type { Ground } from "../bench/ground.js";
import { quantile } from "../bench/measure.js";
import { Client, type Sent } from "../siege/client.js";
import { logIn, recording } from "../siege/scene.js";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { randomNumbers } from "../src/store/samples/testing/session.js";
import { onSchedule } from "./schedule.js";
import { observeUntil } from "./service-metrics.js";

export interface SquadDayOptions {
  squads: number;
  players: number;
  seconds: number;
  readEveryMs: number;
  seed: number;
  databaseUrl: string | null;
  tell(line: string): void;
}

export interface SquadDayResult {
  /** Times from the planned start of a call to its response, by kind, ms. */
  reads: ReadonlyMap<string, number[]>;
  writes: ReadonlyMap<string, number[]>;
  errors: string[];
  peakMemoryMb: number;
  /** Number of sessions with figures of all players in the table at the end. */
  complete: number;
}

const DAY_MS = 86_400_000;
const MATCH_MS = 90 * 60_000;
/** Match of the recordings: 90 minutes at 1 Hz. */
const SAMPLES = { count: 5_400, periodMs: 1_000 };
const PERIODS = 6;
/** Squads prepared at a time. */
const PREPARED = 4;
const STORED_TIMEOUT_MS = 120_000;
const POLL_MS = 1_000;
const BINARY = { "Content-Type": "application/octet-stream" };

interface Squad {
  client: Client;
  token: string;
  id: number;
  startMs: number;
  recordings: Uint8Array[];
  /** Undefined until the session is created. */
  session: number | undefined;
}

const serialOf = (squad: number, player: number) => `DAY-${squad}-${player}`;
const at = (ms: number) => new Date(ms).toISOString();

export async function playSquadDay(ground: Ground, options: SquadDayOptions): Promise<SquadDayResult> {
  const { squads: count, players, tell } = options;
  const metricsPort = await freePort();
  const service = await startBuiltService(join(ground.folder, "data"), options.databaseUrl, {
    METRICS_PORT: String(metricsPort),
    // A device records only after its owner has taken it, so the match is in the future.
    BULK_LOAD_MAX_AHEAD_MS: String(DAY_MS),
  });
  // Each squad uses a separate address, like a club.
  const clients = Array.from({ length: count }, (_, i) => new Client(service.url, `127.0.1.${i + 1}`));
  try {
    tell(`${count} coaches sign up, each with a squad of ${players}`);
    const oauth = (await service.command("app", "create", "--name", "load")) as Record<string, string>;
    const file = join(ground.folder, "devices.csv");
    const serials = Array.from({ length: count * players }, (_, i) =>
      serialOf(Math.floor(i / players), i % players),
    );
    const lines = serials.map((serial) => `${serial},${serial},T1`);
    writeFileSync(file, `serial_number,device_name,device_type\n${lines.join("\n")}\n`);
    await service.command("device", "import", file);
    const squads: Squad[] = [];
    for (let from = 0; from < count; from += PREPARED)
      squads.push(
        ...(await Promise.all(
          clients.slice(from, from + PREPARED).map(async (client, i) => {
            const username = `coach-${from + i}`;
            const password = `a passphrase of ${username}`;
            const json = { username, password, email: `${username}@example.org` };
            await client.expect(201, "/api/v1/managers/", { json });
            await service.command("manager", "grant", username);
            return newSquad(client, await logIn(client, { username, password, oauth }), from + i, players);
          }),
        )),
      );
    tell(`${count} squads load their match and read for ${options.seconds} s`);
    return await play(squads, options, metricsPort);
  } finally {
    for (const client of clients) client.close();
    await service.stop();
  }
}

async function newSquad(client: Client, token: string, number: number, players: number): Promise<Squad> {
  const { id } = await client.expect<{ id: number }>(201, "/api/v2/squads/", {
    token,
    json: { name: `Squad ${number}` },
  });
  const serials = Array.from({ length: players }, (_, i) => serialOf(number, i));
  for (const serial of serials)
    await client.expect(201, "/api/v1/devices/take-ownership/", {
      token,
      json: { serial_number: serial, device_name: serial },
    });
  const startMs = Math.ceil(Date.now() / 1000) * 1000 + 60_000;
  const rows = serials.map((serial, i) => `Player ${number} ${i},${i + 1},${serial},190`);
  await client.expect(200, `/api/v2/squads/${id}/roster/?create=true&from=${at(startMs - 1000)}`, {
    method: "POST",
    token,
    body: `player,number,serial,max_hr\n${rows.join("\n")}\n`,
    headers: { "Content-Type": "text/csv" },
  });
  const { count, periodMs } = SAMPLES;
  const recordings = await Promise.all(serials.map((serial) => recording(serial, startMs, count, periodMs)));
  return { client, token, id, startMs, recordings, session: undefined };
}

interface Read {
  kind: string;
  /** Null before there is a session. */
  path(squad: Squad): string | null;
}

const ofSession =
  (rest: string): Read["path"] =>
  ({ session }) =>
    session === undefined ? null : `sessions/${session}/${rest}`;

const SQUADS: Read = { kind: "squads", path: () => "squads/" };

/** Kinds of read requests that a coach sends, with the percentage of each. */
const SHARES: readonly (Read & { share: number })[] = [
  { kind: "table of a session", share: 30, path: ofSession("figures/?wait=0") },
  { kind: "periods", share: 10, path: ofSession("periods/") },
  { kind: "season", share: 15, path: ({ id }) => `squads/${id}/season/` },
  { kind: "sessions", share: 20, path: () => "sessions/" },
  { kind: "players", share: 15, path: ({ id }) => `members/?squad=${id}` },
  {
    kind: "suggested sessions",
    share: 5,
    path: ({ startMs }) => `sessions/suggested/?end_time=${at(startMs + DAY_MS)}`,
  },
  { ...SQUADS, share: 5 },
];
const READS: readonly Read[] = SHARES.flatMap((read) => Array.from({ length: read.share }, () => read));

async function play(
  squads: readonly Squad[],
  { seconds, readEveryMs, seed }: SquadDayOptions,
  metricsPort: number,
): Promise<SquadDayResult> {
  const random = randomNumbers(seed);
  const [reads, writes] = [new Map<string, number[]>(), new Map<string, number[]>()];
  const errors: string[] = [];
  const call = async (
    times: Map<string, number[]>,
    kind: string,
    dueAtMs: number,
    { client, token }: Squad,
    path: string,
    sent: Sent = {},
  ): Promise<Buffer> => {
    const { status, body } = await client.send(path, { token, ...sent });
    times.set(kind, [...(times.get(kind) ?? []), performance.now() - dueAtMs]);
    if (status >= 300 || status === 0) errors.push(`${kind}: ${status} ${body.subarray(0, 200)}`);
    return body;
  };
  const afterMatch = async (squad: Squad): Promise<void> => {
    const { id, startMs } = squad;
    for (const body of squad.recordings) {
      const sent = { method: "POST", body, headers: BINARY };
      await call(writes, "recording uploaded", performance.now(), squad, "/api/v2/recordings/", sent);
    }
    const times = { start_time: at(startMs), end_time: at(startMs + MATCH_MS) };
    const json = { name: "Round 3", squad: id, kind: "match", sport: "soccer", ...times };
    const made = await call(writes, "session made", performance.now(), squad, "/api/v2/sessions/", { json });
    squad.session = JSON.parse(String(made)).id;
    const lengthMs = MATCH_MS / PERIODS;
    const periods = Array.from({ length: PERIODS }, (_, i) => ({
      name: `Part ${i + 1}`,
      start_time: at(startMs + i * lengthMs),
      end_time: at(startMs + (i + 1) * lengthMs),
      athlete: null,
    }));
    const put = { method: "PUT", json: periods };
    await call(
      writes,
      "periods made",
      performance.now(),
      squad,
      `/api/v2/sessions/${squad.session}/periods/`,
      put,
    );
  };
  const fromMs = performance.now();
  const untilMs = fromMs + seconds * 1000;
  const [observed] = await Promise.all([
    observeUntil(`http://127.0.0.1:${metricsPort}`, 1_000, untilMs, () => undefined),
    ...squads.map(afterMatch),
    ...squads.map((squad) =>
      onSchedule({ everyMs: readEveryMs, random, fromMs, untilMs }, async (dueAtMs) => {
        const wanted = READS[Math.floor(random() * READS.length)] ?? SQUADS;
        const read = wanted.path(squad) === null ? SQUADS : wanted;
        await call(reads, read.kind, dueAtMs, squad, `/api/v2/${read.path(squad)}`);
      }),
    ),
  ]);
  const complete = await Promise.all(squads.map(becomesComplete));
  const peakMemoryMb = Math.max(...observed.map(({ residentBytes }) => residentBytes)) / 1e6;
  return { reads, writes, errors, peakMemoryMb, complete: complete.filter((one) => one).length };
}

/** Waits for the jobs that store the recordings. */
async function becomesComplete(squad: Squad): Promise<boolean> {
  const untilMs = performance.now() + STORED_TIMEOUT_MS;
  while (performance.now() < untilMs) {
    if (await isComplete(squad)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Whether the table has figures with a distance for each player in each period and the whole session. */
async function isComplete({ client, token, session, recordings }: Squad): Promise<boolean> {
  const path = `/api/v2/sessions/${session}/figures/?wait=0`;
  const { rows } = await client.expect<{ rows: { figures: { distance_m: number | null } }[] }>(200, path, {
    token,
  });
  const filled = rows.filter(({ figures }) => (figures.distance_m ?? 0) > 0);
  return filled.length === recordings.length * (PERIODS + 1);
}

/** Returns the rows of a table: kind, calls, p50, p90, p99 and maximum, ms. */
export function rowsOf(times: ReadonlyMap<string, readonly number[]>): string[][] {
  return [...times].map(([kind, all]) => [
    kind,
    String(all.length),
    ...[0.5, 0.9, 0.99, 1].map((share) => quantile(all, share).toFixed(1)),
  ]);
}
