/** Measures downloads of two million samples from the built service: speed, memory, and the effect on other users. */
import { setTimeout as sleep } from "node:timers/promises";
import zlib from "node:zlib";
import { startBystander } from "../siege/bystander.js";
import { recording } from "../siege/scene.js";
import { Client } from "./client.js";
import { type Integrator, settled } from "./integrator.js";
import { interleave, median, quantile } from "./measure.js";
import { FIRST_SESSION_MS, SESSION_SAMPLES } from "./sessions.js";

export interface DownloadsExtent {
  rounds: number;
  /** The downloads whose memory is measured, each in a new process. */
  growthOf: readonly Kind[];
  /** Duration of the measurement of the bystander without downloads, s; with downloads it is at least as long. */
  bystanderSeconds: number;
}

/** The downloads: the source, the query, and the coding that the client accepts. */
const KINDS = {
  csv: { of: "device", query: "format=csv" },
  jsonl: { of: "device", query: "format=jsonl" },
  parquet: { of: "device", query: "format=parquet" },
  arrow: { of: "device", query: "format=arrow" },
  "csv, gzip": { of: "device", query: "format=csv", coding: "gzip" },
  "jsonl, gzip": { of: "device", query: "format=jsonl", coding: "gzip" },
  "arrow, gzip": { of: "device", query: "format=arrow", coding: "gzip" },
  "csv, zstd": { of: "device", query: "format=csv", coding: "zstd" },
  "parquet of all devices": { of: "all", query: "format=parquet" },
  "csv of a squad": { of: "squad", query: "format=csv" },
  "csv of a session": { of: "session", query: "format=csv" },
} as const satisfies Record<string, { of: Source; query: string; coding?: string }>;

type Source = "device" | "all" | "squad" | "session";
export type Kind = keyof typeof KINDS;

/** Node.js supports zstd since version 22.15. */
const HAS_ZSTD = "createZstdCompress" in zlib;
/** All downloads that this version of Node.js supports. */
export const DOWNLOADS = (Object.keys(KINDS) as Kind[]).filter((kind) => kind !== "csv, zstd" || HAS_ZSTD);

/** The address of the bystander, which is different from the address of the downloads. */
const ADDRESS = "127.0.0.2";

/** The last bytes of a complete file: the magic number of Parquet, the end marker of an Arrow stream. */
const ENDS = { parquet: Buffer.from("PAR1"), arrow: Buffer.from("ffffffff00000000", "hex") };

export interface DownloadFigures {
  /** Median number of samples per second. */
  samplesPerS: Partial<Record<Kind, number>>;
  /** Growth of a newly started process during one download, MB. */
  growthMb: Partial<Record<Kind, number>>;
  longestDelayMs: number;
  /** Response times of the bystander. */
  idleP99Ms: number;
  busyP99Ms: number;
}

interface Downloads {
  data: Integrator;
  client: Client;
}

const headersOf = (kind: Kind): Record<string, string> => {
  const { coding = "identity" } = KINDS[kind] as { coding?: string };
  return { "Accept-Encoding": coding };
};

function pathOf({ coach, squad, sessions }: Integrator, kind: Kind): string {
  const { of, query } = KINDS[kind];
  const paths: Record<Source, string> = {
    device: `devices/${coach.device}/samples`,
    all: "samples",
    squad: `squads/${squad}/samples`,
    session: `sessions/${sessions[0]}/samples`,
  };
  return `/api/v2/${paths[of]}/?${query}`;
}

const samplesOf = (data: Integrator, kind: Kind) =>
  SESSION_SAMPLES * (KINDS[kind].of === "session" ? 1 : data.sessions.length);

export async function measureDownloads(data: Integrator, extent: DownloadsExtent): Promise<DownloadFigures> {
  const growthMb: DownloadFigures["growthMb"] = {};
  for (const kind of extent.growthOf) growthMb[kind] = await growthOf(data, kind);
  const service = await data.start();
  const client = new Client({ url: service.url, token: data.coach.token }, ADDRESS);
  try {
    await checkContent({ data, client });
    const cases = Object.fromEntries(
      DOWNLOADS.map((kind) => [kind, () => client.time(pathOf(data, kind), headersOf(kind))]),
    );
    await service.figures();
    const times = await interleave(cases, extent.rounds, 1);
    const { longestDelayMs } = await service.figures();
    const samplesPerS = Object.fromEntries(
      DOWNLOADS.map((kind) => [kind, (samplesOf(data, kind) / median(times[kind] ?? [])) * 1000]),
    );
    await settled(service);
    return {
      samplesPerS,
      growthMb,
      longestDelayMs,
      ...(await bystanderOf({ data, client }, service.url, extent)),
    };
  } finally {
    client.close();
    await service.stop();
  }
}

/** Returns the growth of a new process during one download, after a short download of the same kind has loaded the code. */
async function growthOf(data: Integrator, kind: Kind): Promise<number> {
  const service = await data.start();
  const client = new Client({ url: service.url, token: data.coach.token }, ADDRESS);
  try {
    const path = pathOf(data, kind);
    await client.time(`${path}&to=${new Date(FIRST_SESSION_MS + 60_000).toISOString()}`, headersOf(kind));
    await settled(service);
    const beforeMb = service.markMemory();
    await client.time(path, headersOf(kind));
    return service.peakMemory() - beforeMb;
  } finally {
    client.close();
    await service.stop();
  }
}

function linesIn(file: Buffer): number {
  let lines = 0;
  for (let at = file.indexOf("\n"); at !== -1; at = file.indexOf("\n", at + 1)) lines++;
  return lines;
}

async function checkContent({ data, client }: Downloads): Promise<void> {
  for (const kind of DOWNLOADS) {
    const { query } = KINDS[kind];
    const body = await client.get(pathOf(data, kind), headersOf(kind));
    const file = headersOf(kind)["Accept-Encoding"] === "gzip" ? zlib.gunzipSync(body) : body;
    const end = query === "format=parquet" ? ENDS.parquet : query === "format=arrow" ? ENDS.arrow : null;
    if (end !== null) {
      if (!file.subarray(-end.length).equals(end)) throw new Error(`${kind}: the file is truncated`);
      continue;
    }
    if (kind === "csv, zstd") continue;
    const rows = linesIn(file) - (query === "format=csv" ? 1 : 0);
    if (rows !== samplesOf(data, kind)) throw new Error(`${kind}: ${rows} rows of ${samplesOf(data, kind)}`);
  }
}

/** Measures the response times of another user without and with downloads. */
async function bystanderOf(
  { data, client }: Downloads,
  url: string,
  { bystanderSeconds }: DownloadsExtent,
): Promise<Pick<DownloadFigures, "idleP99Ms" | "busyP99Ms">> {
  const party = data.bystander;
  const small = await recording(party.serial, party.startMs, 600, 100);
  const order = { url, party, recordingBase64: Buffer.from(small).toString("base64") };
  const bystander = await startBystander(order);
  try {
    // The first requests load code.
    await sleep(2_000);
    await bystander.experience();
    await sleep(bystanderSeconds * 1000);
    const idle = await bystander.experience();
    const untilMs = performance.now() + bystanderSeconds * 1000;
    while (performance.now() < untilMs)
      for (const kind of DOWNLOADS) await client.time(pathOf(data, kind), headersOf(kind));
    const busy = await bystander.experience();
    for (const { errors } of [idle, busy]) if (errors.length > 0) throw new Error(errors.join("\n"));
    return { idleP99Ms: quantile(idle.latenciesMs, 0.99), busyP99Ms: quantile(busy.latenciesMs, 0.99) };
  } finally {
    bystander.stop();
  }
}
