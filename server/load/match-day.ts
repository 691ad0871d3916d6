/** Simulates a match day: devices load their recordings, coaches read, webhooks are called, recordings are converted. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { startBuiltService } from "../bench/built-service.js";
import type { Ground } from "../bench/ground.js";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { randomNumbers } from "../src/store/samples/testing/session.js";
import { startReceiver } from "../test/receiver.js";
import { type BareFigures, measureBare } from "./bare.js";
import { afterMatch, convert, newConversion } from "./loading.js";
import { type Coach, read, SMALL_PAGE } from "./reading.js";
import { onSchedule } from "./schedule.js";
import { type Observed, observeUntil } from "./service-metrics.js";
import { Tally } from "./tally.js";
import { type Club, newTeam, serialOf, signUp, type Team } from "./team.js";
import { newSession, stopMsOf } from "./truth.js";
import { WebhookBook } from "./webhooks.js";
import { newWire, type Wire } from "./wire.js";

const DEVICES_PER_TEAM = 4;
/** Number of different recordings. */
const SESSIONS = 6;
/** Number of devices that load concurrently. */
const GATEWAYS = 4;
const CONVERTERS = 2;
/** Number of accounts created concurrently. */
const SIGN_UPS = 4;
const OBSERVATIONS = 60;
const MIN_OBSERVATION_MS = 1_000;
const SECRET = "of the match day";
const DAY_MS = 86_400_000;

export interface MatchDayOptions {
  minutes: number;
  readers: number;
  /** Mean interval between two calls of one reader, between two recordings of all devices, and between two conversions, ms. */
  readEveryMs: number;
  loadEveryMs: number;
  convertEveryMs: number;
  seed: number;
  databaseUrl: string | null;
  /** Duration before the measurement begins, s. */
  warmUpSeconds: number;
  /** Duration of the measurement of the bare route, s. */
  bareSeconds: number;
  tell(line: string): void;
}

export interface MatchDayResult {
  tally: Tally;
  seconds: number;
  /** All requests during the measurement, including polls of job states. */
  requests: number;
  observed: readonly Observed[];
  /** Delay of the event loop of the generator, ms. */
  ownLoopDelay: { p99Ms: number; maxMs: number };
  bare: BareFigures;
}

export async function playMatchDay(ground: Ground, options: MatchDayOptions): Promise<MatchDayResult> {
  const { readers, seed, tell } = options;
  const metricsPort = await freePort();
  const service = await startBuiltService(join(ground.folder, "data"), options.databaseUrl, {
    METRICS_PORT: String(metricsPort),
    // The first match of a device starts after its owner has taken it. The run loads a day of matches.
    BULK_LOAD_MAX_AHEAD_MS: String(DAY_MS),
  });
  const receiver = await startReceiver();
  try {
    const random = randomNumbers(seed);
    const sessions = Array.from({ length: SESSIONS }, (_, i) => newSession(seed + i));
    const tally = new Tally();
    const book = new WebhookBook(tally, SECRET);
    receiver.behaviour = (response) => {
      for (const call of receiver.received.splice(0)) book.receive(call);
      response.writeHead(204).end();
    };

    tell(`${readers} coaches sign up and take over ${readers * DEVICES_PER_TEAM} devices`);
    const oauth = (await service.command("app", "create", "--name", "load")) as Club["oauth"];
    const devices = join(ground.folder, "devices.csv");
    const lines = Array.from({ length: readers * DEVICES_PER_TEAM }, (_, i) => {
      const serial = serialOf(Math.floor(i / DEVICES_PER_TEAM), i % DEVICES_PER_TEAM);
      return `${serial},${serial},T1`;
    });
    writeFileSync(devices, `${["serial_number,device_name,device_type", ...lines].join("\n")}\n`);
    await service.command("device", "import", devices);
    const club: Club = { url: service.url, oauth, receiverUrl: receiver.url, secret: SECRET };
    const teams: Team[] = [];
    await atATime(SIGN_UPS, readers, async (i) => {
      teams[i] = await newTeam(club, i, DEVICES_PER_TEAM);
    });
    const wires: Wire[] = [];
    const wireOf = (token: string) => {
      const wire = newWire(service.url, token);
      wires.push(wire);
      return wire;
    };
    const coaches: Coach[] = teams.map((team) => ({ team, wire: wireOf(team.token), random }));
    // Converted recordings are in the past. No device needs to have recorded them.
    const conversions = await Promise.all(
      sessions.map((session) =>
        newConversion("CONVERT", { startMs: Math.floor(Date.now() / 1000) * 1000 - DAY_MS, session }),
      ),
    );
    const converters: Wire[] = [];
    for (let i = 0; i < CONVERTERS; i++) {
      converters.push(wireOf((await signUp(club, `analyst-${i}`)).token));
    }

    tell("the first device of each coach loads its first match");
    /**
     * Returns the next device of a gateway and the number of its match. A team uses one gateway, so its devices load
     * one after another.
     */
    const gateways = Array.from({ length: Math.min(GATEWAYS, readers) }, (_, gateway) => {
      const served = teams.filter((_, i) => i % GATEWAYS === gateway);
      const ownWires = new Map(served.map((team) => [team, wireOf(team.token)]));
      let loads = 0;
      return async (dueAtMs: number) => {
        const team = served[loads % served.length];
        const round = Math.floor(loads++ / served.length);
        const device = team?.devices[round % DEVICES_PER_TEAM];
        const wire = team && ownWires.get(team);
        if (team === undefined || device === undefined || wire === undefined) return;
        const number = Math.floor(round / DEVICES_PER_TEAM);
        await afterMatch({ team, wire, tally, book, sessions }, device, number, dueAtMs);
      };
    });
    await Promise.all(
      gateways.map(async (load, gateway) => {
        for (let i = gateway; i < readers; i += GATEWAYS) await load(performance.now());
      }),
    );
    if (tally.errors + tally.wrong > 0)
      throw new Error(`The first loads failed: ${tally.described.join("; ")}`);
    const body = join(ground.folder, "page.json");
    writeFileSync(body, await pageText(service.url, teams[0]));

    /** Runs everything together. @returns number of due calls that were never made */
    const play = async (seconds: number): Promise<number> => {
      const fromMs = performance.now();
      const untilMs = fromMs + seconds * 1000;
      const during = (everyMs: number) => ({ everyMs, random, fromMs, untilMs });
      let conversion = 0;
      const unmade = await Promise.all([
        ...coaches.map((coach) =>
          onSchedule(during(options.readEveryMs), (dueAtMs) => read(coach, tally, dueAtMs)),
        ),
        ...gateways.map((load) => onSchedule(during(options.loadEveryMs * gateways.length), load)),
        ...converters.map((wire) =>
          onSchedule(during(options.convertEveryMs * CONVERTERS), async (dueAtMs) => {
            const next = conversions[conversion++ % conversions.length];
            if (next !== undefined) await convert({ wire, tally }, next, dueAtMs);
          }),
        ),
      ]);
      return unmade.reduce((sum, calls) => sum + calls, 0);
    };

    tell(`warming up for ${options.warmUpSeconds} s`);
    await play(options.warmUpSeconds);
    tally.restart();
    const requestsOf = () => wires.reduce((sum, { requests }) => sum + requests, 0);
    const requestsBefore = requestsOf();
    const ownDelay = monitorEventLoopDelay({ resolution: 10 });
    ownDelay.enable();
    const seconds = options.minutes * 60;
    const everyMs = Math.max(MIN_OBSERVATION_MS, (seconds * 1000) / OBSERVATIONS);
    const begin = performance.now();
    tell(`measuring for ${seconds} s`);
    const [unmade, observed] = await Promise.all([
      play(seconds),
      observeUntil(`http://127.0.0.1:${metricsPort}`, everyMs, begin + seconds * 1000, (now) =>
        tell(lineOf((performance.now() - begin) / 1000, tally, now)),
      ),
    ]);
    ownDelay.disable();
    const tookSeconds = (performance.now() - begin) / 1000;
    const requests = requestsOf() - requestsBefore;
    for (let i = 0; i < unmade; i++)
      tally.hasFailed("a call", "not made, because the calls before it took too long");
    await book.settle();
    await service.stop();

    tell("a bare route, for comparison");
    const bare = await measureBare(body, {
      readers,
      everyMs: options.readEveryMs,
      seconds: options.bareSeconds,
      random,
    });
    const ownLoopDelay = { p99Ms: ownDelay.percentile(99) / 1e6 - 10, maxMs: ownDelay.max / 1e6 - 10 };
    return { tally, seconds: tookSeconds, requests, observed, ownLoopDelay, bare };
  } finally {
    await service.stop();
    await receiver.stop();
  }
}

/** Runs work for the numbers from 0, several concurrently. */
async function atATime(lanes: number, count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Reads a page of the most frequent size as text. */
async function pageText(url: string, team: Team | undefined): Promise<string> {
  const [device] = team?.devices ?? [];
  const [match] = device?.matches ?? [];
  if (team === undefined || device === undefined || match === undefined)
    throw new Error("Nothing was loaded");
  const query = `start=${match.startMs}&stop=${stopMsOf(match)}&limit=${SMALL_PAGE}`;
  const response = await fetch(`${url}/api/v1/devices/${device.id}/preprocessed-data/?${query}`, {
    headers: { Authorization: `Bearer ${team.token}` },
  });
  return response.text();
}

function lineOf(atSeconds: number, tally: Tally, now: Observed): string {
  const { calls, p50Ms, p99Ms, maxMs } = tally.reading;
  return (
    `${atSeconds.toFixed(0)} s: ${calls} reads, p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)}, max ${maxMs.toFixed(0)} ms; ` +
    `resident ${(now.residentBytes / 1e6).toFixed(0)} MB, heap ${(now.heapBytes / 1e6).toFixed(0)} MB, ` +
    `event loop delayed ${now.loopDelayMaxMs.toFixed(0)} ms; ${tally.wrong} wrong, ${tally.errors} errors`
  );
}
