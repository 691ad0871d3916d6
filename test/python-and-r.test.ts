/** Tests that the examples of docs/python.md and docs/r.md about files run, and print the values of the command. */
import { spawnSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder, shell, textOf } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { blocksOf, canRun, commandOf, LANGUAGES, type Language } from "./documented-programs.js";
import { CORNERS, matchFolder } from "./match-on-pitch.js";
import { folderOfTraining } from "./training-folder.js";

const HALVES = ["1st half", "2nd half"];

const training = () =>
  folderOfTraining([3, 4], {
    roster: ["player,serial", "Müller,TRK-1", "Kunz,TRK-2"],
    periods: ["period,start,end", "1st half,12:30,12:34", "2nd half,12:35,12:39"],
  });

/** Runs the commands of a section and then its program. @returns what the program prints */
async function printed(language: Language, section: string, folder: string): Promise<string> {
  const commands = blocksOf(language, section, "sh");
  const programs = blocksOf(language, section, language);
  expect([commands.length, programs.length]).toEqual([1, 1]);
  const made = await shell(`asi() { $ASI "$@"; }; ${commands[0]}`, folder);
  expect(made.status).toBe(0);
  const [command, args] = commandOf(language, programs[0] ?? "", folder);
  // R prints umlauts only in a locale that supports them.
  const env = { ...process.env, LC_ALL: "C.UTF-8" };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

describe.for(LANGUAGES.map((language) => [language, canRun(language)] as const))("%s", ([language, can]) => {
  it.skipIf(!can)("reads the rows of a recording, with times and missing heart rates", async () => {
    const folder = scratchFolder();
    renameSync(join(await training(), "2.asi"), join(folder, "match.asi"));
    const text = await printed(language, "A recording", folder);
    expect(text).toMatch(/^14\.4 km\/h\n/);
    // ten minutes, each with a mean heart rate of 150
    expect(text.match(/12:3\d\S*\s+150/g)).toHaveLength(10);
  });

  it.skipIf(!can)("has a row for each player and a column for each half", async () => {
    const folder = scratchFolder();
    renameSync(await training(), join(folder, "match"));
    const text = await printed(language, "A squad", folder);
    const distances = tableOf(textOf(folder, "squad.csv")).filter(({ period }) =>
      HALVES.includes(period ?? ""),
    );
    expect(distances).toHaveLength(4);
    for (const player of ["Müller", "Kunz"]) {
      const own = distances.filter((row) => row.player === player).map((row) => Number(row.distance_m));
      const line = text.split("\n").find((one) => one.includes(player)) ?? "";
      expect(line.trim().split(/\s+/).slice(1).map(Number)).toEqual(own);
    }
  });
});

it.skipIf(!canRun("python"))("python reads the positions of a tracking file", async () => {
  const folder = scratchFolder();
  const match = await matchFolder();
  writeFileSync(join(match, "pitch.csv"), CORNERS.replaceAll(" ", "\n"));
  renameSync(match, join(folder, "match"));
  const text = await printed("python", "A tracking file", folder);
  // Keller stands on the middle line, 5 % of the length from the goal line
  expect(text).toMatch(/^keller +-47\.\d+ +-?0\.\d+$/m);
});
