import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hostileCases } from "./hostile-cases.js";
import { inMemoryCases } from "./in-memory-cases.js";
import { type CaseId, HOSTILE_VERBS, type HostileCaseId, type HostileVerb, labelOf } from "./labels.js";
import { interleave, type Measurements, median } from "./measure.js";
import { asiArguments, processCases } from "./process-cases.js";
import { buildNative, peakMemory } from "./processes.js";
import { type Extent, makeSessions, type Sessions } from "./sessions.js";
import { measureSquad, SEASON_SESSIONS, type SquadResult, squadTable } from "./squad.js";
import { hostileTable, table } from "./table.js";
import { evaluateTargets } from "./targets.js";

const FULL: Extent = { main: 150e6, slice: 8e6, hostile: 20e6, start: 7e6, rounds: 12, processRounds: 8 };
const QUICK: Extent = { main: 40e6, slice: 2e6, hostile: 5e6, start: 7e6, rounds: 4, processRounds: 4 };
const MEMORY_RUNS = 3;

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    size: { type: "string" },
    json: { type: "string", default: fileURLToPath(new URL("./out/results.json", import.meta.url)) },
    help: { type: "boolean", default: false },
  },
});

if (options.help) {
  console.log("npm run bench -- [--quick] [--size MB of the main session, default 150] [--json FILE]");
} else {
  const folder = mkdtempSync(join(tmpdir(), "asi-bench-"));
  try {
    await compare(extent(), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function extent(): Extent {
  const chosen = options.quick ? QUICK : FULL;
  if (options.size === undefined) return chosen;
  const megabytes = Number(options.size);
  if (!(megabytes >= 1 && megabytes <= 2000)) throw new RangeError("--size is a number of MB from 1 to 2000");
  return { ...chosen, main: megabytes * 1e6 };
}

async function compare(extent: Extent, folder: string): Promise<void> {
  // Other work on the machine distorts the results, so the load is printed.
  const loadAtStart = loadavg()[0] ?? 0;
  progress("generating the session");
  const sessions = makeSessions(extent, folder);
  const native = await buildNative(folder);

  progress("verifying the whole processes");
  const processes = await processCases(sessions, native, folder);
  const timedProcesses = await interleave(processes, extent.processRounds, (round) =>
    progress(`whole processes, round ${round} of ${extent.processRounds}`),
  );
  progress("squad and season");
  const squad = await measureSquad(options.quick ? SEASON_SESSIONS.quick : SEASON_SESSIONS.full, folder);
  progress("memory of asi convert");
  const asiPeakBytes = await asiPeak(sessions, folder);

  progress("verifying the cases in memory");
  const inMemory = await inMemoryCases(sessions, native);
  const timedInMemory = await interleave(inMemory, extent.rounds, (round) =>
    progress(`in memory, round ${round} of ${extent.rounds}`),
  );
  const hostile = await hostileCases(extent.hostile);
  const timedHostile = await interleave(hostile, extent.rounds, (round) =>
    progress(`hostile inputs, round ${round} of ${extent.rounds}`),
  );
  const holds = new Map<HostileCaseId, number>();
  for (const { id, longestHold } of hostile) holds.set(id, await longestHold());
  progress(null);

  const measurements = new Map([...timedInMemory, ...timedProcesses, ...timedHostile]);
  report(extent, sessions, measurements, holds, { asiPeakBytes, squad }, loadAtStart);
}

async function asiPeak({ main }: Sessions, folder: string): Promise<number> {
  const peaks = [];
  for (let run = 0; run < MEMORY_RUNS; run++) {
    peaks.push(await peakMemory(asiArguments(main, join(folder, "out.csv"))));
  }
  return median(peaks);
}

function report(
  extent: Extent,
  { main, slice }: Sessions,
  measurements: Measurements,
  holds: ReadonlyMap<HostileCaseId, number>,
  { asiPeakBytes, squad }: { asiPeakBytes: number; squad: readonly SquadResult[] },
  loadAtStart: number,
): void {
  const skipped = new Map<CaseId, string>();
  if (!measurements.has("native")) {
    for (const id of ["native", "nativeCopy", "nativeProcess"] as const) skipped.set(id, "no C compiler");
  }
  if (!measurements.has("gpsdecode")) skipped.set("gpsdecode", "gpsdecode is not installed");
  const targets = evaluateTargets(measurements, asiPeakBytes);
  const machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
  };
  const date = new Date().toISOString().slice(0, 10);
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

  console.log(
    [
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.platform}; node ${process.versions.node}; ${date}`,
      `Session: ${megabytes(main.bytes.length)}, ${main.rows} rows (10 Hz, heart rate at 1 Hz). The fastest of the runs in ${extent.rounds} interleaved rounds.`,
      ...(loadAtStart > 0.5
        ? [
            `The machine was not idle (load ${loadAtStart.toFixed(1)} before the start), so times are too long.`,
          ]
        : []),
      ...(options.quick ? ["Quick run with little data; do not publish these figures."] : []),
      "",
      table(measurements, targets, skipped),
      "",
      squadTable(squad),
      "",
      `Slow libraries read only the first ${megabytes(slice.bytes.length)} of the session (${slice.rows} rows) and are compared by rows per second.`,
      "A FIT file with the same rows is smaller, so its MB/s are lower. Whole processes are compared with the native whole process.",
      "",
      "Inputs designed to be slow, compared with valid frames of the same size, each in one `Uint8Array`:",
      "",
      ...(Object.keys(HOSTILE_VERBS) as HostileVerb[]).flatMap((verb) => [
        hostileTable(verb, measurements, targets, holds),
        "",
      ]),
    ].join("\n"),
  );
  mkdirSync(dirname(options.json), { recursive: true });
  writeFileSync(
    options.json,
    `${JSON.stringify(
      {
        date,
        machine,
        node: process.versions.node,
        loadAtStart,
        quick: options.quick,
        extent,
        rows: main.rows,
        asiPeakBytes,
        cases: [...measurements].map(([id, measurement]) => ({
          id,
          label: labelOf(id),
          ...measurement,
        })),
        longestHoldsS: Object.fromEntries(holds),
        skipped: Object.fromEntries(skipped),
        targets,
        squad,
      },
      null,
      2,
    )}\n`,
  );
}

/** Shows progress on a terminal. Null clears the line. */
function progress(what: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what ?? ""}`);
}
