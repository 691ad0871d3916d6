import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { AsiError, decodeSync } from "../src/index.js";
import {
  METABOLIC_CAUTION,
  metabolicEstimate,
  STANDARD_RUNS_CAUTION,
  standardRuns,
} from "../src/metrics/index.js";
import { encode } from "../src/recording/encode.js";
import { figureOf, squadRows } from "../src/squad/index.js";
import { optionalColumns } from "../src/squad/optional-columns.js";
import { asi, Fixture, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

const START_MS = Date.UTC(2026, 3, 12, 13);
const FILE = "7-Kunz.asi";

/** 10 min at 10 rows per second: sprints in the first minute, later a run of 5 min at 3.5 m/s with a heart rate of 150. */
async function training(): Promise<{ folder: string; path: string }> {
  const speedAt = (second: number) =>
    second < 60 ? 4 + 4 * Math.sin(second / 3) : second < 200 ? 1 : second < 500 ? 3.5 : 0;
  const rows = Array.from({ length: 6000 }, (_, i) => ({
    timestamp: START_MS + 100 * i,
    latitude: 46.9629,
    longitude: 7.4648,
    speed: speedAt(i / 10),
    hr: i % 10 === 0 ? 150 : null,
  }));
  const folder = join(scratchFolder(), "training");
  mkdirSync(folder);
  const path = join(folder, FILE);
  writeFileSync(path, await wholeBytes(encode(rows, { serial: "TRK-1" })));
  writeFileSync(join(folder, "periods.csv"), "period,start,end\nRun,13:02,13:09\n");
  return { folder, path };
}

const squadOf = async (folder: string, ...args: string[]) => {
  const { status, stdout, stderr } = await asi(["squad", folder, ...args]);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return { stdout, stderr };
};

describe("asi squad --metabolic-power", () => {
  it("reports the same energy as asi stats for a session, and as metabolicEstimate for a period", async () => {
    const { folder, path } = await training();
    const { stdout } = await squadOf(folder, "--metabolic-power", "--format", "csv");
    const rows = tableOf(stdout);
    const stats = JSON.parse((await asi(["stats", path, "--metabolic-power", "--json"])).stdout);
    const { samples } = decodeSync(readFileSync(path));
    const from = START_MS + 120_000;
    const ofRun = metabolicEstimate(samples, { from, to: START_MS + 540_000 - 1 });
    for (const [row, estimate] of [
      [rows[0], stats.figures.metabolic],
      [rows[1], ofRun],
    ] as const) {
      const { energy, equivalent_distance: equivalent, categories } = estimate as typeof ofRun;
      const seconds = categories.reduce((sum, { duration }) => sum + duration, 0);
      const fast = categories.filter(({ threshold_low }) => threshold_low >= 20);
      expect(row).toMatchObject({
        metabolic_energy_kj_per_kg: String(energy),
        equivalent_distance_m: String(equivalent),
      });
      expect(Number(row?.metabolic_power_w_per_kg)).toBeCloseTo((1000 * Number(energy)) / seconds, 1);
      const metres = fast.reduce((sum, { distance }) => sum + distance, 0);
      expect(Number(row?.high_power_m)).toBeCloseTo(metres, 2);
    }
    expect(Number(rows[0]?.high_power_m)).toBeGreaterThan(50);
  });

  it("cautions the reader in text, reports and every file", async () => {
    const { folder } = await training();
    expect((await squadOf(folder, "--metabolic-power")).stdout).toContain(METABOLIC_CAUTION);
    const csv = await squadOf(folder, "--metabolic-power", "--format", "csv");
    const cautioned = expect.objectContaining({ metabolic_caution: METABOLIC_CAUTION });
    expect(tableOf(csv.stdout)).toEqual([cautioned, cautioned]);
    expect(csv.stdout).not.toContain("standard_runs_caution");
    const json = await squadOf(folder, "--metabolic-power", "--format", "jsonl");
    expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toEqual(cautioned);
    const distances = await squadOf(folder, "--metabolic-power", "--columns", "distance", "--format", "csv");
    expect(distances.stdout).not.toContain("metabolic_caution");
    const html = await squadOf(folder, "--metabolic-power", "--format", "html");
    for (const text of [METABOLIC_CAUTION, ">Energy<", ">Equiv.<"]) expect(html.stdout).toContain(text);
    const without = await squadOf(folder, "--format", "csv");
    expect(without.stdout + without.stderr).not.toMatch(/metabolic|standard_run|Experimental|estimate/);
  });
});

describe("asi squad --standard-runs", () => {
  it("reports the same runs as asi stats, the start, speed and heart rate of the longest one, and the caution", async () => {
    const { folder, path } = await training();
    const { stdout } = await squadOf(folder, "--standard-runs", "--format", "csv");
    const { runs } = standardRuns(decodeSync(readFileSync(path)).samples);
    const stats = JSON.parse((await asi(["stats", path, "--standard-runs", "--json"])).stdout);
    expect(stats.figures.standard_runs.runs).toEqual(runs);
    expect(runs).toHaveLength(1);
    const [run] = runs;
    const cells = {
      standard_runs: "1",
      standard_run_speed_m_per_s: String(run?.mean_speed),
      standard_run_speed_m_per_s_start: new Date(run?.start_time ?? 0).toISOString(),
      standard_run_heart_rate_bpm: "150",
    };
    expect(tableOf(stdout)).toEqual([expect.objectContaining(cells), expect.objectContaining(cells)]);
    expect(stdout).toContain(`"${STANDARD_RUNS_CAUTION}"`);
    const text = await squadOf(folder, "--standard-runs", "--sort", "standard_runs");
    expect(text.stdout).toContain(STANDARD_RUNS_CAUTION);
  });

  it("fails and names the player if runs cannot be found, or omits the figure and reports the reason", () => {
    const samples = decodeSync(readFileSync(new Fixture("valid/match-hr").path)).samples;
    const recording = {
      ...{ fileName: FILE, serial: "TRK-1", isDamaged: false, isTruncated: false, damagedAfterMs: [] },
      samples,
    };
    const members = [{ name: "Kunz", player: null, recordings: [recording], leftOut: [] }];
    const refuse = () => {
      throw new AsiError("BAD_ARGUMENT", "The samples cover 80 hours.");
    };
    expect(() => squadRows(members, [], { standardRuns: refuse })).toThrow(
      "Kunz: The samples cover 80 hours.",
    );
    const [row] = squadRows(members, [], { standardRuns: refuse, mayBeUncounted: true });
    expect(row?.withoutRuns).toBe("Kunz: The samples cover 80 hours.");
    const columns = optionalColumns(["standardRuns"]);
    expect(columns.map((column) => row && figureOf(row, column))).toEqual([null, null, null]);
  });
});

describe("optional figures of a season", () => {
  it("are those of its sessions, with their cautions in text, files and report", async () => {
    const { folder } = await training();
    const season = join(folder, "..");
    const args = ["--by", "player", "--metabolic-power", "--standard-runs"];
    const [session] = tableOf((await squadOf(folder, ...args.slice(2), "--format", "csv")).stdout);
    const [row] = tableOf((await squadOf(season, ...args, "--format", "csv")).stdout);
    for (const key of ["metabolic_energy_kj_per_kg", "high_power_m", "standard_run_heart_rate_bpm"])
      expect(row?.[key]).toBe(session?.[key]);
    const lines = (await squadOf(season, ...args, "--format", "jsonl")).stdout;
    expect(JSON.parse(lines)).toMatchObject({
      metabolic_caution: METABOLIC_CAUTION,
      standard_runs_caution: STANDARD_RUNS_CAUTION,
    });
    const path = join(scratchFolder(), "season.xlsx");
    await squadOf(season, ...args, "-o", path);
    const parts = unzipSync(readFileSync(path));
    const textOf = (part: string) => strFromU8(parts[`xl/${part}.xml`] ?? new Uint8Array());
    const texts = [...textOf("sharedStrings").matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text);
    for (const caution of [METABOLIC_CAUTION, STANDARD_RUNS_CAUTION])
      for (const sheet of ["sheet1", "sheet2"])
        expect(textOf(`worksheets/${sheet}`)).toContain(`t="s"><v>${texts.indexOf(caution)}</v>`);
    for (const format of ["text", "html"]) {
      const { stdout } = await squadOf(season, ...args, "--format", format);
      for (const caution of [METABOLIC_CAUTION, STANDARD_RUNS_CAUTION]) expect(stdout).toContain(caution);
    }
  });

  it("are refused in a report if there are two, because it has space for one", async () => {
    const { folder } = await training();
    const { status, stderr } = await asi([
      ...["squad", folder, "--metabolic-power", "--standard-runs", "--peaks", "--format", "html"],
    ]);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/space for peaks or metabolic power or standard runs; omit all but one/),
    ]);
  });
});
