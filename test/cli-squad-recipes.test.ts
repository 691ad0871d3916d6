import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeSync } from "../src/index.js";
import { computeRecipe, RECIPES, type Recipe, recipeHash } from "../src/metrics/index.js";
import { asi, Fixture, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { folderOfTraining } from "./training-folder.js";

const sprint = RECIPES.find(({ name }) => name === "soccer/sprint")?.recipe as Recipe;
const gated: Recipe = { ...sprint, gate: { min_satellites: 6 } };
const gatedFile = () => {
  const path = join(scratchFolder(), "gated.json");
  writeFileSync(path, JSON.stringify(gated));
  return path;
};

/** The recording with a sprint under a roof, from 17:00:29, with a period that begins before it. */
function receptionFolder(): string {
  const folder = join(scratchFolder(), "reception");
  mkdirSync(folder);
  writeFileSync(join(folder, "7-Kunz.asi"), readFileSync(new Fixture("valid/reception").path));
  writeFileSync(join(folder, "periods.csv"), "period,start,end\nRoof,17:00:25,17:00:40\n");
  return folder;
}

describe("asi squad --recipe", () => {
  it("shows the same digits as asi stats for the session, and as computeRecipe for a period", async () => {
    const folder = receptionFolder();
    const args = ["--recipe", gatedFile(), "--recipe", "soccer/sprint"];
    const { stdout } = await asi(["squad", folder, ...args, "--format", "csv"]);
    const rows = tableOf(stdout);
    const { samples } = decodeSync(readFileSync(join(folder, "7-Kunz.asi")), { quality: true });
    const [stats] = JSON.parse((await asi(["stats", join(folder, "7-Kunz.asi"), ...args, "--json"])).stdout)
      .figures.recipes;
    const from = Date.UTC(2025, 4, 3, 17, 0, 25);
    const to = Date.UTC(2025, 4, 3, 17, 0, 40) - 1;
    expect(rows.map(({ period }) => period)).toEqual(["session", "Roof"]);
    for (const [row, result] of [
      [rows[0], stats],
      [rows[1], computeRecipe(samples, gated, { from, to })],
    ] as const)
      expect(row).toMatchObject({
        gated_count: String(result.count),
        gated_distance_m: String(result.distance),
        gated_gate_rows: String(result.dropped.gate),
        gated_gate_s: String(result.dropped.gate_duration),
        gated_recipe: recipeHash(gated),
        soccer_sprint_count: String(
          computeRecipe(samples, sprint, row === rows[0] ? {} : { from, to }).count,
        ),
        soccer_sprint_recipe: recipeHash(sprint),
      });
    expect(rows[0]).toMatchObject({ gated_count: "2", gated_gate_rows: "51", gated_gate_s: "5.3" });
  });

  it("shows the counts, the rows that a gate drops, and the hash in a report", async () => {
    const args = ["--recipe", gatedFile(), "--format", "html", "-o", "-"];
    const { status, stdout } = await asi(["squad", receptionFolder(), ...args]);
    const [, table = ""] = /<table class="squad">(.*?)<\/table>/s.exec(stdout) ?? [];
    const cells = [...table.matchAll(/<tr class="player.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<td class="figure" data-value="([^"]*)"/g)].map(([, value]) => value),
    );
    expect([status, cells.map((row) => row.slice(-2))]).toEqual([0, [["2", "51"]]]);
    expect(stdout).toContain(`recipe ${recipeHash(gated)}`);
  });

  it("prints the counts, and how many rows the gate drops, and sorts by them", async () => {
    const { stdout } = await asi([
      "squad",
      receptionFolder(),
      ...["--recipe", gatedFile(), "--sort", "gated"],
    ]);
    const lines = stdout.split("\n");
    expect(lines[1]?.trim().split(/\s{2,}/)).toEqual([
      "Min",
      "Distance",
      "Rate",
      "gated",
      "Distance",
      "Dropped",
      "Dropped",
    ]);
    expect(
      lines[3]
        ?.trim()
        .split(/\s{2,}/)
        .slice(0, 8),
    ).toEqual(["7-Kunz", "1", "201", "201", "2", "48", "51", "5.3"]);
  });

  it("does not read the quality for recipes without a gate", async () => {
    const folder = await folderOfTraining([8], {
      roster: ["player;serial", "Vogel;TRK-1"],
      periods: ["period;start;end"],
    });
    const counted = await asi(["squad", folder, "--recipe", "soccer/sprint", "--format", "csv"]);
    expect([counted.status, tableOf(counted.stdout)[0]?.soccer_sprint_count]).toEqual([0, "1"]);
    expect(Object.keys(tableOf(counted.stdout)[0] ?? {})).not.toContain("soccer_sprint_gate_rows");
  });

  it("reports the player whose recording has no quality", async () => {
    const folder = await folderOfTraining([8], {
      roster: ["player;serial", "Vogel;TRK-1"],
      periods: ["period;start;end"],
    });
    const { status, stderr } = await asi(["squad", folder, "--recipe", gatedFile()]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/Vogel: recipe\.gate needs satellites, speed accuracy/),
    ]);
  });

  it.each<[string, string[], RegExp]>([
    [
      "a recipe that is given twice",
      ["--recipe", "soccer/sprint", "--recipe", "soccer/sprint"],
      /columns soccer_sprint_…/,
    ],
    [
      "more recipes than a printed report has space for",
      [
        ...["soccer/sprint", "statsports/sprint", "soccer/hid-4"].flatMap((name) => ["--recipe", name]),
        "--format",
        "html",
      ],
      /A report has space for 2 recipes/,
    ],
  ])("refuses %s", async (_, args, message) => {
    const { status, stderr } = await asi(["squad", receptionFolder(), ...args]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
