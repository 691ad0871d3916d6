import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeSync } from "../src/index.js";
import { computeRecipe, RECIPES, recipeHash, recipeSensitivity } from "../src/metrics/index.js";
import { asi, Fixture, MATCH, scratchFolder } from "./asi-process.js";

/** A file with a value as JSON, or with a text, in a separate folder. */
const fileOf = (name: string, value: unknown): string => {
  const path = join(scratchFolder(), name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};
const sprint = RECIPES.find(({ name }) => name === "soccer/sprint")?.recipe;
const HASH = "abc7392f77b6948b17ba870671cb8ce2777d484aeef4aaddb023f0cbc1bf1aa2";

describe("asi recipes", () => {
  test("lists every recipe with its hash and description", async () => {
    const { status, stdout } = await asi(["recipes", "list"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^soccer\/sprint +abc7392f77b6 {2}sprints of soccer, from 7 m\/s\n/);
    expect(stdout).toMatch(/^statsports\/sprint .* as worded by STATSports/m);
    const lines = (await asi(["recipes", "list", "--json"])).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      RECIPES.map(({ name, title, source, recipe }) => ({
        name,
        title,
        source,
        hash: recipeHash(recipe),
        recipe,
      })),
    );
  });

  test("prints a recipe as a file that check accepts, with the same hash", async () => {
    const { stdout } = await asi(["recipes", "show", "soccer/sprint"]);
    expect(JSON.parse(stdout)).toEqual(sprint);
    expect(await asi(["recipes", "check", fileOf("ours.json", stdout)])).toMatchObject({
      status: 0,
      stdout: `${HASH}  ours\n`,
    });
    const several = await asi(["recipes", "show", "soccer/sprint", "spt/sprint-4.5"]);
    const checked = await asi(["recipes", "check", fileOf("both.json", several.stdout), "--json"]);
    expect(
      checked.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toEqual(["soccer/sprint", "spt/sprint-4.5"]);
  });

  test("compares key by key", async () => {
    const ours = fileOf("longer.json", { ...sprint, min_ms: 2000 });
    const { stdout } = await asi(["recipes", "compare", "soccer/sprint", ours]);
    expect(stdout).toBe("        soccer/sprint  longer\nmin_ms  1000           2000\n");
    expect((await asi(["recipes", "compare", "soccer/sprint", "running/sprint"])).stdout).toBe(
      "They are the same recipe.\n",
    );
    expect(JSON.parse((await asi(["recipes", "compare", "soccer/sprint", ours, "--json"])).stdout)).toEqual({
      key: "min_ms",
      values: { "soccer/sprint": 1000, longer: 2000 },
    });
  });

  test.each<[string, unknown, RegExp]>([
    ["what is not JSON", "{", /bad\.json: This is not JSON/],
    [
      "a wrong key",
      { ...sprint, enter: "fast" },
      /bad\.json: recipe\.enter is "fast"; it must be an integer/,
    ],
    ["a wrong one of several", { a: sprint, b: {} }, /bad\.json: "b": recipe\.recipe is missing/],
  ])(
    "check reports the file and the location of %s, and checks the other files",
    async (_, value, message) => {
      const good = fileOf("good.json", { ...sprint });
      const { status, stdout, stderr } = await asi(["recipes", "check", fileOf("bad.json", value), good]);
      expect([status, stdout]).toEqual([1, expect.stringContaining(`${HASH}  good\n`)]);
      expect(stderr).toMatch(message);
    },
  );

  test.each<[string, string[], RegExp]>([
    ["no names", ["show"], /Name the recipes to show/],
    ["one to compare", ["compare", "soccer/sprint"], /at least two recipes/],
    [
      "a name that is neither",
      ["show", "soccer/sprnt"],
      /no recipe or file "soccer\/sprnt"; asi recipes list/,
    ],
    ["names for list", ["list", "soccer/sprint"], /does not accept names/],
    ["another action", ["delete", "soccer/sprint"], /list, show, check, compare/],
  ])("exits with 2 for %s", async (_, args, message) => {
    const { status, stderr } = await asi(["recipes", ...args]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("asi stats --recipe", () => {
  const { samples } = decodeSync(readFileSync(MATCH.path));

  test("counts with a built-in recipe and with a recipe from a file, and shows the hash", async () => {
    const ours = { ...sprint, enter: 5000, exit: 4000 } as NonNullable<typeof sprint>;
    const args = ["--recipe", "soccer/sprint", "--recipe", fileOf("slow.json", ours)];
    const { stdout } = await asi(["stats", MATCH.path, "--json", ...args]);
    expect(JSON.parse(stdout).figures.recipes).toEqual([
      {
        name: "soccer/sprint",
        title: "sprints of soccer, from 7 m/s",
        source: expect.stringMatching(/Rampinini/),
        ...(sprint && computeRecipe(samples, sprint)),
      },
      { name: "slow", title: "slow", source: null, ...computeRecipe(samples, ours) },
    ]);
  });

  test("--sensitivity shows the table of each recipe, or of the sprints of the sport", async () => {
    const { stdout } = await asi(["stats", MATCH.path, "--json", "--sensitivity", "--sport", "running"]);
    const [only] = JSON.parse(stdout).figures.recipes;
    expect(only.name).toBe("running/sprint");
    expect(only.sensitivity).toEqual(sprint && recipeSensitivity(samples, sprint).rows);
    const text = (await asi(["stats", MATCH.path, "--sensitivity", "--recipe", "statsports/sprint"])).stdout;
    expect(text).toMatch(/statsports\/sprint: \d+, \d+ m\n.*as worded by STATSports/);
    expect(text).toMatch(/median of 3 .*\*\d/);
  });
});

describe("asi stats --recipe with a gate", () => {
  const reception = new Fixture("valid/reception");
  const gatedFile = () => fileOf("gated.json", { ...sprint, gate: { min_satellites: 6 } });

  test("asi recipes shows and checks the gate", async () => {
    const path = gatedFile();
    expect(JSON.parse((await asi(["recipes", "show", path])).stdout).gate).toEqual({ min_satellites: 6 });
    expect((await asi(["recipes", "check", path])).status).toBe(0);
    const { stdout } = await asi(["recipes", "compare", "soccer/sprint", path]);
    expect(stdout).toMatch(/^gate +null +-\ngate\.min_satellites +- +6$/m);
    const wrong = await asi(["recipes", "check", fileOf("no-limit.json", { ...sprint, gate: {} })]);
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringMatching(/recipe\.gate has no limit/)]);
  });

  test("reads the quality of the rows, and reports how many rows and seconds the gate drops", async () => {
    const args = ["stats", reception.path, "--recipe", gatedFile(), "--recipe", "soccer/sprint"];
    const { stdout } = await asi(args);
    expect(stdout).toMatch(
      /^ {2}gated: 2, 48 m\n {4}recipe [0-9a-f]{12}; excluded: 51 rows \(5\.3 s\) by its gate$/m,
    );
    expect(stdout).toMatch(/^ {2}soccer\/sprint: 3, 72 m\n.*\n {4}recipe abc7392f77b6$/m);
    const [gated] = JSON.parse((await asi([...args, "--json"])).stdout).figures.recipes;
    expect([gated.count, gated.dropped]).toEqual([2, { gate: 51, gate_duration: 5.3, too_fast: 0 }]);
  });

  test("reports the same with --sensitivity and in worker threads", async () => {
    const args = [reception.path, reception.path, "--jobs", "2", "--recipe", gatedFile(), "--sensitivity"];
    const { stdout } = await asi(["stats", ...args, "--json"]);
    for (const line of stdout.trimEnd().split("\n")) {
      const [{ sensitivity, dropped }] = JSON.parse(line).figures.recipes;
      expect(dropped.gate).toBe(51);
      expect(sensitivity[1].cells.map(({ count }: { count: number }) => count)).toEqual([2, 2, 2, 2]);
    }
  });

  test("is refused for a recording without quality, with a code", async () => {
    const encoded = join(scratchFolder(), "encoded.asi");
    const csv = fileOf("reception.csv", reception.csv);
    expect((await asi(["encode", csv, "--serial", "A", "--output", encoded])).status).toBe(0);
    const { status, stderr } = await asi(["stats", encoded, "--recipe", gatedFile()]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/recipe\.gate needs satellites, speed accuracy/),
    ]);
    const json = await asi(["stats", encoded, "--recipe", gatedFile(), "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "BAD_ARGUMENT" } });
  });
});
