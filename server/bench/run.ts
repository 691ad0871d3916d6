/** Measures the promised speed of the service, on PostgreSQL and on the embedded database. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { killBystanders } from "../siege/bystander.js";
import { killBuiltServices } from "./built-service.js";
import { measureConversion, measureUploadMemory, writeRecording } from "./conversion.js";
import { DOWNLOADS, type DownloadsExtent, measureDownloads } from "./downloads.js";
import { type Ground, onGround } from "./ground.js";
import { measureIntegration } from "./integration.js";
import { prepareIntegrator } from "./integrator.js";
import { median } from "./measure.js";
import { killServices, type MeasuredService, startMeasuredService } from "./measured-service.js";
import { measureReading, type Stored } from "./reading.js";
import { SESSION_SAMPLES } from "./sessions.js";
import { measureSquad } from "./squad.js";
import type { SquadExtent } from "./squad-scene.js";
import { measureStreams } from "./streams.js";
import { table } from "./table.js";
import type { Figures } from "./target.js";
import { isReached, TARGETS } from "./targets.js";

/** Amount of stored data and number of measurements. */
interface Extent {
  /** Number of sessions of 72,000 samples, in addition to 604,800 samples of a device that recorded without a break. */
  sessions: { small: number; large: number };
  readingRounds: number;
  /** Number of recordings to download, each with one session. */
  days: number;
  downloads: DownloadsExtent;
  integrationRounds: number;
  streams: { streams: number; seconds: number };
  conversionRounds: number;
  /** Number of samples of the large upload, and number of services that receive one. */
  upload: { samples: number; times: number };
  computedData: { rounds: number; frames: number; seconds: number };
  squad: SquadExtent;
  timeoutMs: number;
}

const FULL: Extent = {
  // 2 and 20 million samples in total.
  sessions: { small: 20, large: 270 },
  readingRounds: 90,
  days: 28,
  downloads: { rounds: 3, growthOf: DOWNLOADS, bystanderSeconds: 15 },
  integrationRounds: 15,
  streams: { streams: 50, seconds: 21 },
  conversionRounds: 30,
  upload: { samples: 1_471_000, times: 3 },
  computedData: { rounds: 30, frames: 100, seconds: 15 },
  squad: { players: 25, periods: 6, sessions: 300, rounds: 30, coldRounds: 5 },
  timeoutMs: 25 * 60_000,
};
const QUICK: Extent = {
  sessions: { small: 2, large: 4 },
  readingRounds: 6,
  days: 2,
  downloads: { rounds: 1, growthOf: ["csv", "parquet"], bystanderSeconds: 1 },
  integrationRounds: 2,
  streams: { streams: 4, seconds: 3 },
  conversionRounds: 3,
  upload: { samples: 75_000, times: 1 },
  computedData: { rounds: 3, frames: 2, seconds: 1 },
  squad: { players: 3, periods: 2, sessions: 3, rounds: 3, coldRounds: 1 },
  timeoutMs: 12 * 60_000,
};

const PARTS = [
  ...["reading", "conversion", "memory", "computed-data", "squad"],
  // Measured on the built service.
  ...["downloads", "integration", "streams"],
];
const DATABASES = ["PostgreSQL", "PGlite"];
const LOAD_TIMEOUT_MS = 240_000;
const COMPUTE_TIMEOUT_MS = 240_000;
const BENCHMARKS = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: PARTS },
    database: { type: "string", multiple: true, default: DATABASES },
    write: { type: "boolean", default: false },
    json: { type: "string", default: fileURLToPath(new URL("./out/results.json", import.meta.url)) },
    help: { type: "boolean", default: false },
  },
});
const extent = options.quick ? QUICK : FULL;
const parts = options.only.filter((part) => PARTS.includes(part));
const databases = options.database.filter((name) => DATABASES.includes(name));

if (options.help) {
  console.log(
    `npm run bench -w server -- [--quick] [--only ${PARTS.join("|")}]... [--database ${DATABASES.join("|")}]... ` +
      "[--write: put the table into docs/benchmarks.md] [--json FILE]",
  );
} else {
  // Other work on the machine affects the results, so the report mentions it.
  const loadAtStart = loadavg()[0] ?? 0;
  const begin = performance.now();
  const measured = new Map<string, Figures>();
  await onGround(
    extent.timeoutMs,
    async (ground) => {
      const upload = join(ground.folder, "upload.asi");
      progress("making recordings");
      await writeRecording(join(ground.folder, "session.asi"), SESSION_SAMPLES);
      if (parts.includes("memory")) await writeRecording(upload, extent.upload.samples);
      for (const name of databases) measured.set(name, await measure(name, ground));
    },
    killProcesses,
  );
  progress(null);
  report(measured, loadAtStart, performance.now() - begin);
}

function killProcesses(): void {
  killServices();
  killBuiltServices();
  killBystanders();
}

async function measure(name: string, ground: Ground): Promise<Figures> {
  const newDatabase = async () => (name === "PGlite" ? null : ground.createDatabase());
  const figures: Figures = {};
  const small = await startMeasuredService(await newDatabase());
  if (parts.includes("reading")) {
    const store = await loaded(name, small, extent.sessions.small);
    const large = await startMeasuredService(await newDatabase());
    const stores = [store, await loaded(name, large, extent.sessions.large)];
    progress(`${name}: pages, ranges, latest`);
    const [ofSmall, ofLarge] = await measureReading(stores, extent.readingRounds, ground.folder);
    if (ofSmall !== undefined && ofLarge !== undefined) figures.reading = { small: ofSmall, large: ofLarge };
    figures.load = loadingFigures(stores);
    await large.stop();
  }
  if (parts.includes("conversion")) {
    progress(`${name}: conversion`);
    const session = join(ground.folder, "session.asi");
    figures.conversion = await measureConversion(small, session, extent.conversionRounds);
  }
  if (parts.includes("computed-data")) {
    progress(`${name}: computed data`);
    figures.computedData = await small.ask("computedData", extent.computedData, COMPUTE_TIMEOUT_MS);
  }
  if (parts.includes("squad")) {
    progress(`${name}: squad`);
    figures.squad = await measureSquad(small, extent.squad);
  }
  await small.stop();
  if (parts.includes("memory")) {
    progress(`${name}: memory of a large upload`);
    const fresh = await Promise.all(Array.from({ length: extent.upload.times }, newDatabase));
    figures.uploadMemoryMb = await measureUploadMemory(fresh, join(ground.folder, "upload.asi"));
  }
  await measureBuilt(name, ground, await newDatabase(), figures);
  if (parts.includes("streams")) {
    progress(`${name}: streams`);
    const options = { ...extent.streams, databaseUrl: await newDatabase() };
    figures.streams = await measureStreams(ground, options);
  }
  return figures;
}

/** Measures the operations of integrators on the built service. */
async function measureBuilt(
  name: string,
  ground: Ground,
  databaseUrl: string | null,
  figures: Figures,
): Promise<void> {
  if (!parts.includes("downloads") && !parts.includes("integration")) return;
  progress(`${name}: storing ${extent.days} sessions of a squad`);
  const data = await prepareIntegrator(ground, databaseUrl, extent.days);
  if (parts.includes("downloads")) {
    progress(`${name}: downloads`);
    figures.downloads = await measureDownloads(data, extent.downloads);
  }
  if (parts.includes("integration")) {
    progress(`${name}: changes, tokens, live data, MCP`);
    figures.integration = await measureIntegration(data, extent.integrationRounds);
  }
}

async function loaded(name: string, service: MeasuredService, sessions: number): Promise<Stored> {
  progress(`${name}: loading ${sessions} sessions`);
  return { service, sessions, load: await service.ask("load", { sessions }, LOAD_TIMEOUT_MS) };
}

function loadingFigures(stores: readonly Stored[]) {
  const loads = stores.flatMap(({ load }) => load.sessionMs);
  const [small, large] = stores.map(({ load }) => load);
  return {
    samplesPerS: (SESSION_SAMPLES / median(loads)) * 1000,
    bytesPerSample: (large?.bytesOnDisk ?? Number.NaN) / (large?.samples ?? Number.NaN),
    samples: { small: small?.samples ?? 0, large: large?.samples ?? 0 },
  };
}

function report(measured: ReadonlyMap<string, Figures>, loadAtStart: number, tookMs: number): void {
  const machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
  };
  const date = new Date().toISOString().slice(0, 10);
  const stored = [...measured.values()].find(({ load }) => load !== undefined)?.load?.samples;
  const million = (samples: number) => `${(samples / 1e6).toFixed(1)} million`;
  const text = [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.platform}; node ${process.versions.node}; ${date}`,
    ...(stored === undefined
      ? []
      : [
          `Stored: ${million(stored.small)} samples, or ${million(stored.large)} in the rows with "ten times as much stored".`,
        ]),
    `Medians over HTTP with one connection; client and service in separate processes; PostgreSQL with its default durability.`,
    `Load of the machine before the start: ${loadAtStart.toFixed(1)}${loadAtStart > 0.5 ? " (not idle, so times are too long)" : ""}. The run took ${Math.round(tookMs / 1000)} s.`,
    ...(options.quick ? ["Quick run on little data: no figures to publish."] : []),
    "",
    table(measured),
  ].join("\n");
  console.log(text);
  mkdirSync(dirname(options.json), { recursive: true });
  const results = Object.fromEntries(
    [...measured].map(([name, figures]) => [
      name,
      {
        figures,
        targets: TARGETS.map((target) => {
          const value = target.measure(figures);
          const { what, bound, limit, unit } = target;
          return { what, bound, limit, unit, measured: value ?? null, reached: isReached(target, value) };
        }),
      },
    ]),
  );
  writeFileSync(
    options.json,
    `${JSON.stringify({ date, machine, node: process.versions.node, loadAtStart, quick: options.quick, extent, results }, null, 2)}\n`,
  );
  if (options.write) intoDocument(text);
}

function intoDocument(text: string): void {
  const document = readFileSync(BENCHMARKS, "utf8");
  const between = /(<!-- service-bench:begin -->\n)[\s\S]*(<!-- service-bench:end -->)/;
  if (!between.test(document))
    throw new Error("docs/benchmarks.md does not contain the markers of the table");
  writeFileSync(
    BENCHMARKS,
    document.replace(between, (_, begin, end) => `${begin}\n${text}\n\n${end}`),
  );
}

/** Shows the progress on a terminal. Null clears the line. */
function progress(what: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what ?? ""}`);
}
