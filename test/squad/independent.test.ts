import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { demoSquad } from "../../src/recording/demo-squad.js";
import { encode } from "../../src/recording/encode.js";
import { asi, scratchFolder } from "../asi-process.js";
import { tableOf } from "../csv-table.js";
import { isLongForm } from "../long-form.js";
import { wholeBytes } from "../whole.js";

// independent.py computes the table of the demonstration's match from the CSVs of asi convert, without code of the product.
// Its output is independent.csv.

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const golden = readFileSync(file("independent.csv"), "utf8");

/** The match of the demonstration, with recordings and periods of the named players only. */
async function matchOf(names: readonly string[]): Promise<string> {
  const folder = scratchFolder();
  const { recordings, roster, periods } = demoSquad({ players: 14, startMs: Date.UTC(2026, 4, 16, 12, 30) });
  for (const { fileName, serial, rows } of recordings) {
    if (!names.some((name) => fileName.includes(name))) continue;
    writeFileSync(join(folder, `${fileName}.asi`), await wholeBytes(encode(rows(), { serial })));
  }
  writeFileSync(join(folder, "roster.csv"), roster);
  const lines = periods
    .split("\n")
    .filter((line) => /,(player)?$/.test(line) || names.some((name) => line.endsWith(`,${name}`)));
  writeFileSync(join(folder, "periods.csv"), `${lines.join("\n")}\n`);
  return folder;
}

async function expectIndependentFigures(folder: string, expected: Record<string, string>[]) {
  const columns = Object.keys(expected[0] ?? {});
  expect(columns).toHaveLength(20);
  const { stdout } = await asi(["squad", folder, "--format", "csv"]);
  const rows = tableOf(stdout).map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
  expect(rows).toEqual(expected);
}

describe("the table of a squad", () => {
  it("equals the figures that an independent program computes from the CSV files, digit by digit", async () => {
    // a goalkeeper, a player with a replaced tracker, a substitute
    const names = ["Keller", "Graf", "Fuchs"];
    const expected = tableOf(golden).filter(({ player = "" }) => names.includes(player));
    expect(expected).toHaveLength(3 * 5);
    await expectIndependentFigures(await matchOf(names), expected);
  });

  it.runIf(isLongForm && spawnSync("python3", ["--version"]).error === undefined)(
    "equals the output of that program for the whole match (requires python3, otherwise skipped)",
    async () => {
      const match = join(scratchFolder(), "match");
      await asi(["encode", "--demo", "--squad", "14", "-o", match]);
      await expectIndependentFigures(match, tableOf(golden));
      const csvs = join(match, "csv");
      await asi(["convert", match, "--out-dir", csvs]);
      const { stdout, stderr } = spawnSync("python3", [file("independent.py"), match, csvs], {
        encoding: "utf8",
      });
      expect(stdout, stderr).toBe(golden);
    },
  );
});
