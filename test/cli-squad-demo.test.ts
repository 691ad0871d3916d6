/** `asi squad` on the match of the demonstration, and its workbook. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { demoSquad } from "../src/recording/demo-squad.js";
import { encode } from "../src/recording/encode.js";
import { readPeriods, readRoster } from "../src/squad/sheets.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { START_MS, trainingFolder } from "./training-folder.js";
import { wholeBytes } from "./whole.js";

describe("the demo match", () => {
  const match = demoSquad({ players: 25, startMs: START_MS });

  it("has a roster and periods that are read without a problem", () => {
    const { roster, problems } = readRoster(match.roster);
    expect(problems).toEqual([]);
    expect(roster.players).toHaveLength(25);
    const players = roster.players.map(({ name }) => name);
    const session = { startMs: START_MS, endMs: START_MS + 142 * 60_000 };
    const read = readPeriods(match.periods, { session, players });
    expect(read.problems).toEqual([]);
    expect(read.periods.map(({ name }) => name)).toEqual(["Warm-up", "1st half", "2nd half"]);
  });

  it("contains a tracker change, a late start and a damaged file", () => {
    expect(match.recordings).toHaveLength(26);
    expect(match.recordings.filter(({ damage }) => damage !== null)).toHaveLength(1);
    const first = (index: number) => match.recordings[index]?.rows().next().value?.timestamp ?? 0;
    expect(
      match.recordings.map((_, i) => (first(i) - START_MS) / 60_000).filter((minutes) => minutes > 0),
    ).toEqual([52.4, 39]);
  });

  it("has the same table for each half with --periods suggested and with the suggested lines in a file", async () => {
    const folder = join(scratchFolder(), "match");
    await asi(["encode", "--demo", "--squad", "14", "-o", folder]);
    rmSync(join(folder, "periods.csv"));
    const { stderr } = await asi(["squad", folder]);
    const lines = stderr.split("\n");
    const saved = lines.slice(lines.indexOf("period,start,end,player"));
    const suggested = await asi(["squad", folder, "--format", "csv", "--periods", "suggested"]);
    expect(suggested.stderr).toContain(
      `Periods are suggested from common pauses. 5 players seem to come on, go off or sit out. To change them, save these lines as periods.csv beside the recordings:\n${saved.join("\n")}`,
    );
    writeFileSync(join(folder, "periods.csv"), saved.join("\n"));
    expect(suggested.stdout).toBe((await asi(["squad", folder, "--format", "csv"])).stdout);
    expect([...new Set(tableOf(suggested.stdout).map(({ period }) => period))]).toEqual([
      "session",
      "Match",
      "Warm-up",
      "1st half",
      "2nd half",
    ]);
    // a file in the folder is not read
    writeFileSync(join(folder, "periods.csv"), "period,start,end\nWarm-up,12:30,12:40\n");
    const again = await asi(["squad", folder, "--format", "csv", "--periods", "suggested"]);
    expect(again.stdout).toBe(suggested.stdout);
  });

  it("reports if no periods can be suggested", async () => {
    const { status, stderr } = await asi(["squad", await trainingFolder(), "--periods", "suggested"]);
    expect([status, stderr]).toEqual([0, expect.stringContaining("No periods are suggested")]);
  });

  it("is the same for the same seed", () => {
    const start = (seed: number) => {
      const rows = demoSquad({ players: 11, seed, startMs: START_MS }).recordings[3]?.rows();
      return JSON.stringify(Array.from({ length: 50 }, () => rows?.next().value));
    };
    expect(start(7)).toBe(start(7));
    expect(start(7)).not.toBe(start(8));
  });

  it("writes a workbook with a sheet for the session and each period, frozen headers and empty cells for missing figures", async () => {
    const folder = await trainingFolder();
    const output = join(folder, "training.xlsx");
    const { status, stderr } = await asi(["squad", folder, "-o", output, "--tz", "Europe/Zurich"]);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^\d+ bytes -> .*training\.xlsx\n$/)]);
    const parts = unzipSync(readFileSync(output));
    const textOf = (name: string) => strFromU8(parts[name] ?? expect.fail(`There is no ${name}.`));
    expect(
      [...textOf("xl/workbook.xml").matchAll(/<sheet [^>]*name="([^"]*)"/g)].map(([, name]) => name),
    ).toEqual(["Session", "Drill"]);
    const sheets = ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"].map(textOf);
    for (const sheet of sheets) expect(sheet).toMatch(/<pane [^>]*ySplit="1"[^>]*state="frozen"/);
    const csv = await asi(["squad", folder, "--format", "csv", "--tz", "Europe/Zurich"]);
    const [head = "", ...lines] = csv.stdout.trimEnd().split("\n");
    const keys = head.split(",").filter((key) => !["session", "period"].includes(key));
    // days are numbers with binary rounding errors
    const toSecond = (value: number) => (value > 40_000 ? Math.round(value * 86_400) / 86_400 : value);
    // cells of the drill by player, against the CSV of the same figures
    const strings = [...textOf("xl/sharedStrings.xml").matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(
      ([, text]) => text,
    );
    const rows = [...(sheets[1] ?? "").matchAll(/<row [^>]*>(.*?)<\/row>/g)].slice(1).map(([, row = ""]) => {
      const cells: (string | number | undefined)[] = keys.map(() => undefined);
      for (const [, column = "", attributes = "", value = ""] of row.matchAll(
        /<c r="([A-Z]+)\d+"([^>]*)>(?:<v>)([^<]*)<\/v>/g,
      )) {
        const at = [...column].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
        cells[at] = attributes.includes('t="s"') ? strings[Number(value)] : toSecond(Number(value));
      }
      return cells;
    });
    const days = (time: string) => toSecond((Date.parse(time) - Date.UTC(1899, 11, 30)) / 86_400_000);
    const expected = lines
      .map((line) => line.split(","))
      .filter(([, period]) => period === "Drill")
      .map(([, , ...fields]) =>
        fields.map((field) => {
          // Excel counts days from 1899-12-30, by the clock of the club
          const [, local] = /^(\d{4}-.*T.*)\+02:00$/.exec(field) ?? [];
          if (local !== undefined) return days(`${local}Z`);
          return field === "" ? undefined : /^-?[\d.]+$/.test(field) ? Number(field) : field;
        }),
      );
    const byPlayer = (table: (string | number | undefined)[][]) =>
      Object.fromEntries(table.map((row) => [row[keys.indexOf("player")], row]));
    expect(rows).toHaveLength(3);
    expect(byPlayer(rows)).toEqual(byPlayer(expected));
    expect(rows.map((row) => typeof row[keys.indexOf("start")])).toContain("number");
    expect(strings).toContain("Start (Europe/Zurich)");
    expect(textOf("xl/styles.xml")).toContain('formatCode="yyyy-mm-dd hh:mm:ss"');
  });

  it("reports the recordings of another sport, and the number of rows that no figure includes", async () => {
    const folder = join(scratchFolder(), "rides");
    mkdirSync(folder);
    for (const [name, speed] of [
      ["Rider", 14],
      ["Runner", 4],
    ] as const) {
      const rows = Array.from({ length: 300 }, (_, second) => ({
        timestamp: START_MS + second * 1000,
        latitude: 46.9629,
        longitude: 7.4648,
        speed: second < 150 ? 4 : speed,
      }));
      writeFileSync(join(folder, `${name}.asi`), await wholeBytes(encode(rows, { serial: name })));
    }
    const { stdout, stderr } = await asi(["squad", folder]);
    expect(stderr).toContain(
      "More than 1 % of the moving rows of Rider are faster than 45.0 km/h and not counted",
    );
    expect(stderr).toContain("--sport");
    expect(stdout).toMatch(/Rider.*150 rows too fast/);
    expect((await asi(["squad", folder, "--sport", "cycling"])).stderr).not.toContain("faster than");
  });

  it("writes no name that a spreadsheet would evaluate as a formula", async () => {
    const folder = await trainingFolder();
    writeFileSync(join(folder, "roster.csv"), 'player;serial\n"=HYPERLINK(""x"")";TRK-1\n');
    rmSync(join(folder, "periods.csv"));
    const { stdout } = await asi(["squad", folder, "--format", "csv"]);
    expect(stdout).toContain(`"'=HYPERLINK(""x"")"`);
    expect(stdout).not.toMatch(/(^|,)"?=/m);
  });
});
