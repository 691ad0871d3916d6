/**
 * Attacks the built service on each database while an ordinary user makes 20 requests a second, and prints the measurements of
 * this user. The exit status is 1 if a target is missed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { killBuiltServices } from "../bench/built-service.js";
import { onGround } from "../bench/ground.js";
import { align } from "../bench/table.js";
import type { Attack } from "./attacks/attack.js";
import { attacks } from "./attacks/index.js";
import { besiege } from "./besiege.js";
import { killBystanders } from "./bystander.js";
import { BUSY_TARGETS, broken, nameOf, type Outcome, TARGETS } from "./verdict.js";

const DATABASES = ["PostgreSQL", "PGlite"];
const BENCHMARKS = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));

/** Duration of each attack, s. */
const LONG_S = 20;
const SHORT_S = 1;

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    database: { type: "string", multiple: true, default: DATABASES },
    seconds: { type: "string" },
    write: { type: "boolean", default: false },
    json: { type: "string", default: fileURLToPath(new URL("../bench/out/siege.json", import.meta.url)) },
    /** Set if the process that reports on all databases has started this process for a single database. */
    part: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const targets = options.quick ? BUSY_TARGETS : TARGETS;

if (options.help) {
  console.log(
    `npm run siege -w server -- [--quick] [--only TEXT: attacks whose names contain it] [--seconds N: duration of each attack] ` +
      `[--database ${DATABASES.join("|")}]... [--write: put the table into docs/benchmarks.md] [--json FILE]`,
  );
} else {
  await main();
}

async function main(): Promise<void> {
  const chosen = attacks.filter(({ name }) => name.includes(options.only ?? ""));
  const seconds = Number(options.seconds ?? (options.quick ? SHORT_S : LONG_S));
  const loadAtStart = loadavg()[0] ?? 0;
  const outcomes =
    options.database.length === 1
      ? await besiegeOne(options.database[0] ?? "", chosen, seconds)
      : await besiegeEach(options.database);
  report(outcomes, seconds, loadAtStart);
}

async function besiegeOne(name: string, chosen: readonly Attack[], seconds: number) {
  // Preparations and late responses take about as long as the attacks.
  const timeoutMs = (chosen.length * (seconds + 60) + 120) * 1000;
  const outcomes = new Map<string, Outcome[]>();
  await onGround(
    timeoutMs,
    async (ground) => {
      outcomes.set(
        name,
        await besiege(name, ground, chosen, seconds, targets, (outcome) => tell(name, outcome)),
      );
    },
    () => {
      killBuiltServices();
      killBystanders();
    },
  );
  return outcomes;
}

/**
 * Runs a separate process per database, because the next service would inherit the low priority of the attacker. The processes of
 * the short form run concurrently, because its targets allow for other work on the machine.
 */
async function besiegeEach(names: readonly string[]): Promise<Map<string, Outcome[]>> {
  const outcomes = new Map<string, Outcome[]>();
  const besiegeNext = async (name: string) => {
    const json = `${options.json}.${name}`;
    const args = ["--database", name, "--json", json, "--part", ...(options.quick ? ["--quick"] : [])];
    if (options.only !== undefined) args.push("--only", options.only);
    if (options.seconds !== undefined) args.push("--seconds", options.seconds);
    const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), ...args], {
      stdio: "inherit",
    });
    await once(child, "exit");
    outcomes.set(name, JSON.parse(readFileSync(json, "utf8")).outcomes);
    rmSync(json);
  };
  if (options.quick) await Promise.all(names.map(besiegeNext));
  else for (const name of names) await besiegeNext(name);
  return outcomes;
}

function round(value: number | null): string {
  return value === null ? "" : Math.round(value).toLocaleString("en-US");
}

function tell(database: string, outcome: Outcome): void {
  const faults = broken(outcome, targets);
  console.log(
    `${faults.length === 0 ? "held  " : "BROKEN"} ${database}: ${outcome.attack}: p50 ${round(outcome.p50Ms)}, ` +
      `p90 ${round(outcome.p90Ms)}, p99 ${round(outcome.p99Ms)}, worst ${round(outcome.worstMs)} ms (${outcome.slowest}); loop ${round(outcome.longestDelayMs)} ms; ` +
      `${round(outcome.peakMemoryMb)} MB; webhook ${round(outcome.webhookMs)} ms; ${outcome.answers}${outcome.resent === 0 ? "" : `; sent again: ${outcome.resent}`}` +
      `${faults.length === 0 ? "" : `\n       ${faults.join("; ")}`}`,
  );
}

function report(outcomes: ReadonlyMap<string, Outcome[]>, seconds: number, loadAtStart: number): void {
  const all = [...outcomes].flatMap(([database, list]) => list.map((outcome) => ({ database, ...outcome })));
  const missed = all.filter((outcome) => broken(outcome, targets).length > 0);
  const machine = `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB; node ${process.versions.node}`;
  const text = [
    `${machine}; ${new Date().toISOString().slice(0, 10)}. Each attack lasts ${seconds} s; the load of the machine before the start was ${loadAtStart.toFixed(1)}.`,
    `Targets: ${nameOf(targets)} at most ${targets.latency.atMostMs} ms, no error, loop held at most ${targets.longestDelayMs} ms, memory under ${targets.peakMemoryMb} MB.`,
    "",
    align([
      [
        "attack",
        "by",
        "database",
        "p50 ms",
        "p99 ms",
        "worst ms",
        "errors",
        "loop ms",
        "MB",
        "webhook ms",
        "held",
      ],
      ...all.map((outcome) => [
        outcome.attack,
        outcome.as,
        outcome.database,
        round(outcome.p50Ms),
        round(outcome.p99Ms),
        round(outcome.worstMs),
        String(outcome.errors.length),
        round(outcome.longestDelayMs),
        round(outcome.peakMemoryMb),
        round(outcome.webhookMs),
        broken(outcome, targets).length === 0 ? "yes" : "no",
      ]),
    ]),
  ].join("\n");
  mkdirSync(dirname(options.json), { recursive: true });
  writeFileSync(
    options.json,
    `${JSON.stringify({ machine, seconds, loadAtStart, outcomes: all }, null, 2)}\n`,
  );
  if (options.part) return;
  if (options.write) intoDocument(text);
  else if (!options.quick) console.log(`\n${text}`);
  console.log(`${all.length - missed.length} of ${all.length} held`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

function intoDocument(text: string): void {
  const document = readFileSync(BENCHMARKS, "utf8");
  const between = /(<!-- siege:begin -->\n)[\s\S]*(<!-- siege:end -->)/;
  if (!between.test(document))
    throw new Error("docs/benchmarks.md does not contain the markers of the table");
  writeFileSync(
    BENCHMARKS,
    document.replace(between, (_, begin, end) => `${begin}\n${text}\n\n${end}`),
  );
}
