/**
 * Measures pages, ranges and latest samples over HTTP with one connection, with little data and with ten times as much.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "./client.js";
import type { LoadFigures } from "./commands.js";
import { interleave, median, type Timed } from "./measure.js";
import type { MeasuredService } from "./measured-service.js";
import {
  DAY_MS,
  FIRST_SESSION_MS,
  RESTLESS_SAMPLES,
  rowAt,
  SESSION_SAMPLES,
  sessionOfDay,
} from "./sessions.js";

const PAGE_SAMPLES = 25_000;
const LATEST_SAMPLES = 300;
/** Number of pages in two sessions. */
const FULL_PAGES = Math.floor((2 * SESSION_SAMPLES - PAGE_SAMPLES) / PAGE_SAMPLES) + 1;
const RANGE_DAYS = 14;
const MEMORY_PATH = "/from-memory/";

/** A service with stored samples. */
export interface Stored {
  service: MeasuredService;
  load: LoadFigures;
  sessions: number;
}

/** Medians of the response times, ms. */
export interface ReadingFigures {
  page: number;
  /** Time in which the same server sends the same bytes from memory. */
  fromMemory: number;
  pageBytes: number;
  ranges: number;
  /** Ranges of a device that recorded without a break. */
  restlessRanges: number;
  latest: number;
}

/** @returns results in the order of `stores` */
export async function measureReading(
  stores: readonly Stored[],
  rounds: number,
  folder: string,
): Promise<ReadingFigures[]> {
  const cases: Record<string, Timed> = {};
  const clients: Client[] = [];
  const pageBytes: number[] = [];
  try {
    for (const [i, store] of stores.entries()) {
      const client = new Client(store.service);
      clients.push(client);
      pageBytes.push(await proveRight(client, store, folder));
      for (const [name, run] of Object.entries(casesOf(client, store))) cases[`${name} ${i}`] = run;
    }
    const times = await interleave(cases, rounds, Math.ceil(rounds / 3));
    return stores.map((_, i) => {
      const of = (name: keyof ReturnType<typeof casesOf>) => median(times[`${name} ${i}`] ?? []);
      return {
        page: of("page"),
        fromMemory: of("fromMemory"),
        pageBytes: pageBytes[i] ?? Number.NaN,
        ranges: of("ranges"),
        restlessRanges: of("restlessRanges"),
        latest: of("latest"),
      };
    });
  } finally {
    for (const client of clients) client.close();
  }
}

function casesOf(client: Client, { load: { device, restlessDevice }, sessions }: Stored) {
  const lastOf = (days: number) => Math.max(1, sessions - days);
  return {
    page: (round) => client.time(pagePath(device, round % lastOf(2), 1 + (round % FULL_PAGES), round + 1)),
    fromMemory: () => client.time(MEMORY_PATH),
    ranges: (round) => client.time(rangesPath(device, round % lastOf(RANGE_DAYS), round + 1)),
    restlessRanges: (round) => client.time(rangesPath(restlessDevice, 0, round + 1)),
    latest: () => client.time(latestPath(device)),
  } satisfies Record<string, Timed>;
}

/** Returns the path of a page. All paths differ, because the service would cache equal pages. */
function pagePath(device: number, day: number, page: number, afterMs: number): string {
  const startMs = FIRST_SESSION_MS + day * DAY_MS + afterMs;
  const bounds = `start=${startMs}&stop=${startMs + 2 * DAY_MS - 1}`;
  return `/api/v1/devices/${device}/raw-data/?${bounds}&page=${page}&limit=${PAGE_SAMPLES}`;
}

/** Returns the path of the ranges of `RANGE_DAYS` days. */
function rangesPath(device: number, day: number, afterMs: number): string {
  const startMs = FIRST_SESSION_MS + day * DAY_MS + afterMs;
  return `/api/v1/devices/${device}/raw-data-ranges/?start=${startMs}&stop=${startMs + RANGE_DAYS * DAY_MS - 2}`;
}

const latestPath = (device: number) => `/api/v1/devices/${device}/latest-raw-data/?size=${LATEST_SAMPLES}`;

/**
 * Checks before the measurement that the service returns the stored samples. The page that it returns is later sent
 * from memory.
 * @returns bytes of the page
 */
async function proveRight(client: Client, store: Stored, folder: string): Promise<number> {
  const { service, load, sessions } = store;
  const day = Math.max(0, sessions - 2);
  const path = pagePath(load.device, day, 2, 1);
  const body = await client.get(path);
  const { results } = JSON.parse(body.toString()) as { results: Record<string, number | null>[] };
  const session = await sessionOfDay(day);
  // A start one millisecond after the first sample excludes this sample, and shifts the second page by one sample.
  const expected = Array.from({ length: PAGE_SAMPLES }, (_, i) =>
    asSent(rowAt(session, 1 + PAGE_SAMPLES + i)),
  );
  requireSame("page", results, expected);

  const latest = JSON.parse((await client.get(latestPath(load.device))).toString());
  const last = await sessionOfDay(sessions - 1);
  requireSame(
    "latest",
    latest,
    Array.from({ length: LATEST_SAMPLES }, (_, i) => asSent(rowAt(last, SESSION_SAMPLES - 1 - i))),
  );

  // A start one millisecond after the first sample of a range excludes this sample.
  const sizes = async (device: number) => {
    const ranges = JSON.parse((await client.get(rangesPath(device, 0, 1))).toString());
    return (ranges.results as { size: number }[]).map(({ size }) => size);
  };
  requireSame("ranges", await sizes(load.device), [
    SESSION_SAMPLES - 1,
    ...Array<number>(Math.min(RANGE_DAYS, sessions) - 1).fill(SESSION_SAMPLES),
  ]);
  requireSame("restless ranges", await sizes(load.restlessDevice), [RESTLESS_SAMPLES - 1]);

  const file = join(folder, "page.json");
  writeFileSync(file, body);
  await service.ask("serve", { path: MEMORY_PATH, file }, 10_000);
  if (!(await client.get(MEMORY_PATH)).equals(body)) throw new Error("The page from memory is different");
  return body.length;
}

const asSent = ({ timestamp, latitude, longitude, altitude, speed, hr }: ReturnType<typeof rowAt>) => ({
  "gnss.altitude": altitude,
  "gnss.latitude": latitude,
  "gnss.longitude": longitude,
  "gnss.speed": speed,
  "gnss.timestamp": timestamp,
  "ecg.hr": hr,
});

function requireSame(what: string, got: unknown, expected: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(expected)) throw new Error(`${what}: not what was stored`);
}
