import { linkSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { median } from "./measure.js";
import { ASI, peakMemory, runProgram } from "./processes.js";
import { align } from "./table.js";

// Measures the table of a match, its report, and a season, in whole processes. The files are in the page cache.

const PLAYERS = 25;
const MINUTES = 90;
const RUNS = 3;

/** Number of sessions in a season. */
export const SEASON_SESSIONS = { full: 30, quick: 6 };

export interface SquadResult {
  what: string;
  measured: number;
  /** The target; null if there is none. */
  limit: number | null;
  unit: "s" | "MB";
}

/**
 * Measures everything in `folder`, which is empty afterwards.
 * @throws Error if a process fails
 */
export async function measureSquad(sessions: number, folder: string): Promise<SquadResult[]> {
  const match = join(folder, "match");
  mkdirSync(match);
  for (let seed = 1; seed <= PLAYERS; seed++) {
    const to = ["-o", join(match, `${seed}.asi`), "--serial", `TRK-${seed}`];
    await asi("encode", "--demo", "--seed", String(seed), "--duration", `${MINUTES}min`, ...to);
  }
  // creates a folder of links for each session, so that the same bytes are read again
  const season = join(folder, "season");
  for (let session = 1; session <= sessions; session++) {
    const own = join(season, String(session).padStart(2, "0"));
    mkdirSync(own, { recursive: true });
    for (const name of readdirSync(match)) linkSync(join(match, name), join(own, name));
  }
  const report = join(folder, "report.html");
  const of = `${PLAYERS} recordings of ${MINUTES} min`;
  const results: SquadResult[] = [
    { what: `asi squad, ${of}`, measured: await timeOf("squad", match), limit: 3, unit: "s" },
    {
      what: "the same, peak memory",
      measured: (await peakMemory([ASI, "squad", match])) / 1e6,
      limit: 200,
      unit: "MB",
    },
  ];
  const reportS = await timeOf("report", match, "-o", report, "--force");
  results.push(
    { what: "asi report of these recordings", measured: reportS, limit: null, unit: "s" },
    { what: "the same, size of the file", measured: statSync(report).size / 1e6, limit: 1.5, unit: "MB" },
    {
      what: `asi squad --by player, ${sessions} sessions of ${PLAYERS}`,
      measured: await timeOf("squad", season, "--by", "player"),
      limit: sessions,
      unit: "s",
    },
  );
  rmSync(match, { recursive: true });
  rmSync(season, { recursive: true });
  rmSync(report);
  return results;
}

/** Formats a Markdown table with targets. */
export function squadTable(results: readonly SquadResult[]): string {
  const lines = results.map(({ what, measured, limit, unit }) => [
    what,
    `${measured.toFixed(measured < 10 ? 2 : 0)} ${unit}`,
    limit === null ? "" : `at most ${limit} ${unit}`,
    limit === null ? "" : measured <= limit ? "yes" : "no",
  ]);
  return align(
    [["squad, whole processes", "measured", "target", "reached"], ...lines],
    (column) => column === 1,
  );
}

const asi = (...args: string[]) => runProgram(process.execPath, [ASI, ...args]);

async function timeOf(...args: string[]): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    await asi(...args);
    times.push((performance.now() - startMs) / 1000);
  }
  return median(times);
}
