import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { decodeSync } from "../src/index.js";
import { computeRecipe, RECIPES, type Recipe, recipeHash } from "../src/metrics/index.js";
import { encode } from "../src/recording/encode.js";
import { asi, Fixture, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 3, 12, 13);
/** Sprints of Kunz in six matches, a week apart. The mean of the first five is 3. */
const SPRINTS = [2, 4, 3, 1, 5, 9];
const SPRINT: Recipe =
  RECIPES.find(({ name }) => name === "soccer/sprint")?.recipe ?? expect.fail("There is no such recipe.");

/** A row each second: 2 m/s, with sprints of 10 s at 8 m/s that begin in the named seconds. */
function recording(startMs: number, seconds: number, sprints: readonly number[]): Promise<Uint8Array> {
  const isSprint = (second: number) => sprints.some((start) => second >= start && second < start + 10);
  const rows = Array.from({ length: seconds }, (_, second) => ({
    timestamp: startMs + second * 1000,
    latitude: 46.9629,
    longitude: 7.4648,
    speed: isSprint(second) ? 8 : 2,
  }));
  return wholeBytes(encode(rows, { serial: "TRK-1" }));
}

/** A recording of two halves in each folder, with the sprints in the first one. */
async function seasonFolder(): Promise<string> {
  const season = join(scratchFolder(), "season");
  for (const [week, count] of SPRINTS.entries()) {
    const folder = join(season, `match ${week + 1}`);
    mkdirSync(folder, { recursive: true });
    const starts = Array.from({ length: count }, (_, i) => 60 + 60 * i);
    writeFileSync(join(folder, "a.asi"), await recording(START_MS + week * 7 * DAY_MS, 3660, starts));
    writeFileSync(
      join(folder, "periods.csv"),
      "period,start,end\n1st half,13:00,13:30\n2nd half,13:30,14:01\n",
    );
  }
  writeFileSync(join(season, "roster.csv"), "player;serial;number;position\nKunz;TRK-1;11;FW\n");
  return season;
}

const squad = (season: string, ...more: string[]) =>
  asi(["squad", season, "--by", "player", "--matches", "*", ...more]);

/** Writes a recipe into its own file. */
function recipeFile(name: string, recipe: Recipe): string {
  const path = join(scratchFolder(), name);
  writeFileSync(path, JSON.stringify(recipe));
  return path;
}

describe("asi squad --by player --recipe", () => {
  it("shows the counts of computeRecipe, each also as a share of the mean of the last five matches, and the hash", async () => {
    const season = await seasonFolder();
    const { status, stdout, stderr } = await squad(
      season,
      ...["--recipe", "soccer/sprint", "--recipe", "soccer/hid-4", "--format", "csv"],
    );
    expect([status, stderr]).toEqual([0, ""]);
    const rows = tableOf(stdout);
    const results = SPRINTS.map((_, week) => {
      const { samples } = decodeSync(readFileSync(join(season, `match ${week + 1}`, "a.asi")));
      return computeRecipe(samples, SPRINT);
    });
    expect(results.map(({ count }) => count)).toEqual(SPRINTS);
    expect(rows.map((row) => [row.soccer_sprint_count, row.soccer_sprint_distance_m])).toEqual(
      results.map(({ count, distance }) => [String(count), String(distance)]),
    );
    expect(rows.map((row) => row.soccer_sprint_count_percent_of_last_5_matches)).toEqual([
      ...["", "200", "100", "33.3", "200", "300"],
    ]);
    expect(new Set(rows.map((row) => row.soccer_sprint_recipe))).toEqual(new Set([recipeHash(SPRINT)]));
    expect(Object.keys(rows[0] ?? {})).toEqual(
      expect.arrayContaining(["soccer_hid_4_count", "soccer_hid_4_recipe"]),
    );
  });

  it("shows the counts of all sessions with mean, best and share, and names the recipe with its hash", async () => {
    const { stdout } = await squad(await seasonFolder(), "--recipe", "soccer/sprint");
    const lines = stdout.split("\n").map((line) => line.trim().split(/\s{2,}/));
    expect(stdout).toMatch(new RegExp(`^soccer/sprint: .*, recipe ${recipeHash(SPRINT)}\\.$`, "m"));
    expect(lines).toContainEqual(["Min", "Distance", "Rate", "soccer/sprint", "Distance", "since"]);
    const counts = (label: RegExp) =>
      lines
        .filter(([first = ""]) => label.test(first))
        .map((cells) => cells[label.source === "^2026" ? 5 : 4]);
    expect(counts(/^2026/)).toEqual(SPRINTS.map(String));
    expect(counts(/^Mean of 6 sessions/)).toEqual(["4"]);
    expect(counts(/^Best/)).toEqual(["9"]);
    expect(counts(/^Last, against/)).toEqual(["300 %"]);
  });

  it("counts only the two halves of a match", async () => {
    const season = join(scratchFolder(), "season");
    mkdirSync(join(season, "match"), { recursive: true });
    // one in each half, and two in the break
    const bytes = await recording(START_MS, 4000, [600, 1850, 1950, 3000]);
    writeFileSync(join(season, "match", "a.asi"), bytes);
    writeFileSync(
      join(season, "match", "periods.csv"),
      "period,start,end\n1st half,13:00,13:30\n2nd half,13:35,14:06\n",
    );
    const { stdout } = await asi([
      ...["squad", season, "--by", "player", "--recipe", "soccer/sprint", "--format", "csv"],
    ]);
    expect(tableOf(stdout).map((row) => [row.kind, row.soccer_sprint_count])).toEqual([["match", "2"]]);
  });

  it("writes the same values to JSON lines, Parquet and the workbook, which also has the mean and best of each player", async () => {
    const season = await seasonFolder();
    const recipe = ["--recipe", "soccer/sprint"];
    const lines = (await squad(season, ...recipe, "--format", "jsonl")).stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const cells = (row: Record<string, unknown>) => [
      row.soccer_sprint_count,
      row.soccer_sprint_count_percent_of_last_5_matches,
      row.soccer_sprint_recipe,
    ];
    expect(cells(lines[5])).toEqual([9, 300, recipeHash(SPRINT)]);
    const parquet = join(season, "season.parquet");
    await squad(season, ...recipe, "-o", parquet);
    const { buffer, byteOffset, byteLength } = readFileSync(parquet);
    const rows = await parquetReadObjects({
      file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
    });
    expect(rows.map(cells)).toEqual(lines.map(cells));
    const workbook = join(season, "season.xlsx");
    await squad(season, ...recipe, "-o", workbook);
    const parts = unzipSync(readFileSync(workbook));
    const players = cellsOf(parts, 1);
    const at = (title: string) => players[1]?.[players[0]?.indexOf(title) ?? -1];
    expect(at("soccer/sprint: count: mean")).toBe("4");
    expect(at("soccer/sprint: count: best")).toBe("9");
    expect(at("soccer/sprint: count: last session, % of the 5 matches before")).toBe("300");
    expect(at("soccer/sprint: hash of the recipe")).toBe(recipeHash(SPRINT));
    const [titles = [], ...sessions] = cellsOf(parts, 2);
    const count = titles.indexOf("soccer/sprint: count");
    expect(sessions.map((row) => row[count])).toEqual(SPRINTS.map(String));
  });

  it("draws the counts against the normal range, with the hashes at the end of the report", async () => {
    const season = await seasonFolder();
    // more recipes than fit on the paper of a session's report, because this report shows one figure at a time
    const recipes = ["soccer/sprint", "soccer/hid-4", "soccer/hid-5.5"];
    const { status, stdout } = await squad(
      season,
      ...recipes.flatMap((name) => ["--recipe", name]),
      ...["--sort", "soccer/sprint", "--format", "html"],
    );
    expect(status).toBe(0);
    expect(stdout).toContain('<option value="soccer_sprint_count" selected>soccer/sprint: count</option>');
    const [, part = ""] = /id="soccer_sprint_count"[^>]*>(.*?)<\/table>/s.exec(stdout) ?? [];
    expect(part).toContain('aria-label="Kunz: 9 , ▲ +200 %"');
    expect(part).toMatch(/11 Kunz<\/th><td>9<\/td><td>▲ \+200 %<\/td><td>3<\/td><td>4<\/td><td>9<\/td>/);
    const footer = stdout.slice(stdout.indexOf("<footer>"));
    for (const { name, recipe } of RECIPES.filter((one) => recipes.includes(one.name)))
      expect(footer).toMatch(new RegExp(`${name}: [^<]*, recipe ${recipeHash(recipe)}\\.`));
  });

  it("recomputes cached sessions only after a change to the recipe", async () => {
    const season = await seasonFolder();
    const ours = recipeFile("ours.json", SPRINT);
    const counts = async () => {
      const { stdout } = await squad(season, "--recipe", ours, "--cache", "--format", "csv");
      return tableOf(stdout).map(({ ours_count }) => Number(ours_count));
    };
    expect(await counts()).toEqual(SPRINTS);
    const cache = join(season, "match 1", ".asi-squad-cache.json");
    writeFileSync(cache, readFileSync(cache, "utf8").replace('"ours_count":2', '"ours_count":20'));
    // the order of the keys does not change the hash
    writeFileSync(ours, JSON.stringify(Object.fromEntries(Object.entries(SPRINT).reverse()), null, 2));
    expect(await counts()).toEqual([20, ...SPRINTS.slice(1)]);
    writeFileSync(ours, JSON.stringify({ ...SPRINT, enter: 9000, exit: 9000 }));
    expect(await counts()).toEqual(SPRINTS.map(() => 0));
  });

  it("reports what a gate drops, and continues without the counts of a recording that has no quality", async () => {
    const season = join(scratchFolder(), "season");
    for (const folder of ["reception", "other"]) mkdirSync(join(season, folder), { recursive: true });
    writeFileSync(join(season, "reception", "7-Kunz.asi"), readFileSync(new Fixture("valid/reception").path));
    writeFileSync(join(season, "other", "7-Kunz.asi"), await recording(START_MS, 660, [60]));
    const gated = recipeFile("gated.json", { ...SPRINT, gate: { min_satellites: 6 } });
    const { status, stdout, stderr } = await squad(
      season,
      ...["--recipe", gated, "--recipe", "soccer/sprint", "--format", "csv"],
    );
    const rows = tableOf(stdout);
    expect(
      rows.map((row) => [row.session, row.gated_count, row.gated_gate_rows, row.soccer_sprint_count]),
    ).toEqual([
      ["reception", "2", "51", expect.stringMatching(/^\d+$/)],
      ["other", "", "", "1"],
    ]);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /other: no counts of a recipe for 7-Kunz\. 7-Kunz: recipe\.gate needs satellites, speed accuracy/,
    );
  });
});

/** The cells of a sheet of a workbook, by row. */
function cellsOf(parts: Record<string, Uint8Array>, sheet: number): (string | undefined)[][] {
  const textOf = (name: string) => strFromU8(parts[name] ?? expect.fail(`There is no ${name}.`));
  const strings = [...textOf("xl/sharedStrings.xml").matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, one]) => one);
  return [...textOf(`xl/worksheets/sheet${sheet}.xml`).matchAll(/<row [^>]*>(.*?)<\/row>/g)].map(
    ([, row = ""]) => {
      const cells: (string | undefined)[] = [];
      for (const [, column = "", attributes = "", value = ""] of row.matchAll(
        /<c r="([A-Z]+)\d+"([^>]*)>(?:<v>)([^<]*)<\/v>/g,
      )) {
        const at = [...column].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
        cells[at] = attributes.includes('t="s"') ? strings[Number(value)] : value;
      }
      return cells;
    },
  );
}
