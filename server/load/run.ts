/**
 * Simulates a match day on the built service and checks every response. The exit status is 1 if a response is wrong, a call
 * fails, memory grows, or a target is missed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { killBuiltServices } from "../bench/built-service.js";
import { onGround } from "../bench/ground.js";
import { quantile } from "../bench/measure.js";
import { playStreams } from "../bench/streams.js";
import { align } from "../bench/table.js";
import { type MatchDayResult, playMatchDay } from "./match-day.js";
import { playSquadDay, rowsOf } from "./squad-day.js";
import { type Latencies, READING, WRITING } from "./tally.js";
import { BUSY_TARGETS, TARGETS, verdictsOf } from "./verdict.js";

const USAGE = `npm run load -w server -- [--minutes N] [--readers N] [--database embedded|postgres] [--seed N]
  [--json: print the result as JSON] [--quick: 10 readers for 10 s, targets for a machine with other work]
  [--streams N: instead, N devices at 10 Hz with an ECG stream their recordings, for half a minute or --minutes]
  [--squads N: instead, N squads of 25 load a match concurrently while their coaches read; --quick: 4 squads]`;

/** Maximum number of coaches, because registrations and token requests from one address are limited. */
const MAX_READERS = 250;
/** Maximum number of streams of one user. */
const MAX_STREAMS = 64;
const STREAM_SECONDS = 30;
/** Processor time of the service for 50 streams, in cores. */
const MAX_CORES = 0.5;
/** Time for starting, signing up and the last webhooks. */
const AROUND_MS = 10 * 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    readers: { type: "string" },
    squads: { type: "string" },
    streams: { type: "string" },
    database: { type: "string", default: "postgres" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes ?? (values.quick ? 1 / 6 : 60));
const readers = Number(values.readers ?? (values.quick ? 10 : 50));
const seed = Number(values.seed);
const squads = Number(values.squads ?? 0);
const streams = Number(values.streams ?? 0);
const isValid =
  Number.isInteger(streams) &&
  streams >= 0 &&
  streams <= MAX_STREAMS &&
  Number.isInteger(squads) &&
  squads >= 0 &&
  squads <= MAX_READERS &&
  minutes > 0 &&
  Number.isInteger(readers) &&
  readers >= 1 &&
  readers <= MAX_READERS &&
  Number.isInteger(seed) &&
  ["embedded", "postgres"].includes(values.database);

if (values.help) console.log(USAGE);
else if (!isValid) {
  console.error(`usage: ${USAGE}\nAt most ${MAX_READERS} readers.`);
  process.exitCode = 2;
} else if (streams > 0) await mainOfStreams();
else if (squads > 0) await mainOfSquads();
else await main();

/**
 * Prints the cost of the streams. The exit status is 1 if a stream fails, a sample is missing, or a target is missed.
 */
async function mainOfStreams(): Promise<void> {
  const loadAtStart = loadavg()[0] ?? 0;
  await onGround(
    minutes * 60_000 + AROUND_MS,
    async (ground) => {
      const databaseUrl = values.database === "postgres" ? await ground.createDatabase() : null;
      const seconds = values.minutes === undefined ? STREAM_SECONDS : Math.ceil(minutes * 60);
      const options = { streams, seconds, databaseUrl, tell: console.log };
      const { cores, storedMs, peakMemoryMb, errors } = await playStreams(ground, options);
      const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((share) => Math.round(quantile(storedMs, share)));
      console.log(
        `Load of the machine at the start ${loadAtStart.toFixed(1)}. ${streams} streams, ${seconds} s: the service takes ${cores.toFixed(2)} ` +
          `of a core (at most ${MAX_CORES}), ${peakMemoryMb.toFixed(0)} MB. Time from sending a sample until the gateway knows that it is stored, for the oldest sample of each write: ` +
          `p50 ${p50Ms} ms, p99 ${p99Ms} ms, longest ${maxMs} ms.`,
        ...errors.slice(0, 20).map((error) => `\nError: ${error}`),
      );
      process.exitCode = errors.length === 0 && (values.quick || cores <= MAX_CORES) ? 0 : 1;
    },
    killBuiltServices,
  );
}

/** Prints the times of all calls. The exit status is 1 if a call fails or the reads are slow. */
async function mainOfSquads(): Promise<void> {
  const loadAtStart = loadavg()[0] ?? 0;
  const targets = values.quick ? BUSY_TARGETS : TARGETS;
  const players = values.quick ? 4 : 25;
  await onGround(
    minutes * 60_000 + AROUND_MS,
    async (ground) => {
      const databaseUrl = values.database === "postgres" ? await ground.createDatabase() : null;
      const seconds = minutes * 60;
      const options = { squads, players, seconds, readEveryMs: 1_000, seed, databaseUrl, tell: console.log };
      const { reads, writes, errors, peakMemoryMb, complete } = await playSquadDay(ground, options);
      const all = new Map([["all reads", [...reads.values()].flat()]]);
      const head = ["ms from the planned start", "calls", "p50", "p90", "p99", "max"];
      console.log(align([head, ...rowsOf(reads), ...rowsOf(all), ...rowsOf(writes)]));
      const p99Ms = quantile(all.get("all reads") ?? [], 0.99);
      console.log(
        `Load of the machine at the start ${loadAtStart.toFixed(1)}. Peak ${peakMemoryMb.toFixed(0)} MB. ` +
          `${complete} of ${squads} tables have all figures. p99 of all reads ${p99Ms.toFixed(1)} ms (at most ${targets.readingP99Ms}).`,
        ...errors.slice(0, 20).map((error) => `\nError: ${error}`),
      );
      const isHeld = p99Ms <= targets.readingP99Ms && peakMemoryMb <= targets.peakMemoryMb;
      process.exitCode = isHeld && errors.length === 0 && complete === squads ? 0 : 1;
    },
    killBuiltServices,
  );
}

async function main(): Promise<void> {
  const loadAtStart = loadavg()[0] ?? 0;
  const tell = (line: string) => {
    if (!values.json && !values.quick) console.log(line);
  };
  await onGround(
    minutes * 60_000 + AROUND_MS,
    async (ground) => {
      const databaseUrl = values.database === "postgres" ? await ground.createDatabase() : null;
      const result = await playMatchDay(ground, {
        minutes,
        readers,
        seed,
        databaseUrl,
        readEveryMs: 1_000,
        loadEveryMs: values.quick ? 1_000 : 5_000,
        convertEveryMs: values.quick ? 1_000 : 5_000,
        warmUpSeconds: values.quick ? 1 : 15,
        bareSeconds: values.quick ? 2 : 30,
        tell,
      });
      report(result, loadAtStart);
    },
    killBuiltServices,
  );
}

function report(result: MatchDayResult, loadAtStart: number): void {
  const verdicts = verdictsOf(result, values.quick ? BUSY_TARGETS : TARGETS, values.quick);
  const missed = verdicts.filter(({ held }) => !held);
  process.exitCode = missed.length === 0 ? 0 : 1;
  const { tally, bare, observed, ownLoopDelay, requests, seconds } = result;
  const latencies = Object.fromEntries([...READING, ...WRITING].map((kind) => [kind, tally.of(kind)]));
  const machine = `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB; node ${process.versions.node}`;
  const last = observed.at(-1);
  const json = {
    machine,
    date: new Date().toISOString().slice(0, 10),
    loadAtStart,
    loadAtEnd: loadavg()[0] ?? 0,
    options: { minutes, readers, seed, database: values.database },
    seconds,
    requests,
    requestsPerSecond: requests / seconds,
    reading: tally.reading,
    latencies,
    lateness: tally.late,
    ownLoopDelay,
    bare,
    observed,
    verdicts,
    faults: tally.described,
  };
  const file = fileURLToPath(new URL("../bench/out/load.json", import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`);
  if (values.json) {
    console.log(JSON.stringify(json, null, 2));
    return;
  }
  const ms = (value: number) => value.toFixed(1);
  const row = (name: string, { calls, p50Ms, p90Ms, p99Ms, maxMs }: Latencies) => [
    name,
    calls.toLocaleString("en-US"),
    ...[p50Ms, p90Ms, p99Ms, maxMs].map(ms),
  ];
  const delays = observed.map(({ loopDelayP99Ms }) => loopDelayP99Ms);
  console.log(
    [
      `${machine}; ${json.date}. ${values.database}, ${readers} readers, ${Math.round(seconds)} s, seed ${seed}.`,
      `Load of the machine at the start ${loadAtStart.toFixed(1)}, at the end ${json.loadAtEnd.toFixed(1)}.`,
      "",
      align([
        ["ms from the planned start", "calls", "p50", "p90", "p99", "max"],
        ...READING.map((kind) => row(kind, tally.of(kind))),
        row("all reads", tally.reading),
        ...WRITING.map((kind) => row(kind, tally.of(kind))),
        row(`a minimal fastify route, ${Math.round(bare.bytes / 1000)} KB of JSON`, bare),
        row("delay of the generator", tally.late),
      ]),
      "",
      `${requests.toLocaleString("en-US")} requests, ${json.requestsPerSecond.toFixed(1)} a second; ` +
        `processor time of the service ${(((last?.processorS ?? 0) - (observed[0]?.processorS ?? 0)) / Math.max(1, seconds)).toFixed(2)} s a second.`,
      `Event loop of the service: worst p99 of an interval ${ms(Math.max(0, ...delays))} ms, longest delay ${ms(Math.max(0, ...observed.map(({ loopDelayMaxMs }) => loopDelayMaxMs)))} ms. ` +
        `Of the generator: p99 ${ms(ownLoopDelay.p99Ms)} ms, longest ${ms(ownLoopDelay.maxMs)} ms.`,
      "",
      align([
        ["", "target", "measured", "held"],
        ...verdicts.map(({ what, target, measured, held }) => [what, target, measured, held ? "yes" : "NO"]),
      ]),
      ...tally.described.map((fault) => `Fault: ${fault}`),
      `${verdicts.length - missed.length} of ${verdicts.length} held`,
    ].join("\n"),
  );
}
