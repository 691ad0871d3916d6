import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { demoSquad } from "../src/recording/demo-squad.js";
import { encode } from "../src/recording/encode.js";
import { readPeriods, readRoster } from "../src/squad/sheets.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { folderOfTraining } from "./training-folder.js";
import { wholeBytes } from "./whole.js";

const START_MS = Date.UTC(2026, 4, 16, 12, 30);

/** Ten minutes of three players, with a roster and periods in the format of Excel. */
const trainingFolder = () =>
  folderOfTraining([3, 4, 8], {
    roster: ["Player;Serial;Position", "Müller;TRK-1;GK", "Kunz;TRK-2;FW", "Vogel;TRK-3;FW"],
    periods: ["period;start;end;player", "Drill;14:30;14:35;", "Drill;14:32;14:35;Kunz", "Drill;-;-;Vogel"],
  });

async function recordingAt(
  folder: string,
  name: string,
  startMs: number,
  serial = "TRK-9",
  heart: { hr?: number } = {},
): Promise<void> {
  const rows = Array.from({ length: 600 }, (_, second) => ({
    timestamp: startMs + second * 1000,
    latitude: 46.9629,
    longitude: 7.4648,
    speed: 5,
    ...heart,
  }));
  writeFileSync(join(folder, name), await wholeBytes(encode(rows, { serial })));
}

const AS_CSV = ["--tz", "Europe/Zurich", "--format", "csv"];

const columnsOf = (line: string) => line.trim().split(/\s{2,}/);

describe("asi squad", () => {
  it("prints a table of all players for the session and for each period, in the local time of the club", async () => {
    const { status, stdout, stderr } = await asi(["squad", await trainingFolder(), "--tz", "Europe/Zurich"]);
    expect([status, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe(
      "Session 2026-05-16T14:30:00.000+02:00 to 2026-05-16T14:39:59.000+02:00, 3 players",
    );
    expect(lines.slice(3, 6).map((line) => columnsOf(line).slice(0, 4))).toEqual([
      ["Vogel", "FW", "10", "4,792"],
      ["Kunz", "FW", "10", "2,396"],
      ["Müller", "GK", "10", "1,797"],
    ]);
    const drill = lines.slice(lines.indexOf("Drill") + 3);
    expect(drill.map((line) => columnsOf(line).slice(0, 4))).toEqual([
      ["Müller", "GK", "5", "897"],
      ["Kunz", "FW", "3", "716"],
      ["Vogel", "FW", "–", "–"],
      ["Mean of 1, whole period", "5", "897", "180"],
      ["Highest", "5", "897", "240"],
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  });

  it("reports which means include fewer players than the others", async () => {
    const folder = scratchFolder();
    await recordingAt(folder, "1.asi", START_MS, "TRK-1", { hr: 150 });
    await recordingAt(folder, "2.asi", START_MS, "TRK-2");
    const { stdout } = await asi(["squad", folder, "--columns", "minutes,distance_m,hr_mean_bpm"]);
    expect(stdout.trimEnd().split("\n").slice(-3).map(columnsOf)).toEqual([
      ["Mean of 2, whole period", "10", "2,995", "150"],
      ["Highest", "10", "2,995", "150"],
      ["Means of fewer players, because the others have no value: HR of 1"],
    ]);
  });

  it("reports a recording that partly has a wrong date, and shows the others", async () => {
    const folder = await trainingFolder();
    const years = [2020, 2026].map((year) => ({
      timestamp: Date.UTC(year, 4, 16),
      latitude: 47,
      longitude: 8,
      speed: 3,
    }));
    writeFileSync(join(folder, "9.asi"), await wholeBytes(encode(years, { serial: "TRK-9" })));
    const { status, stdout, stderr } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect(status).toBe(1);
    expect(stderr).toContain(
      "9.asi: The rows are from 2020-05-16 to 2026-05-16, so some have a wrong date. Keep the others with asi convert --from.",
    );
    expect(stdout).toMatch(/3 players/);
  });

  it("reads truncated compressed recordings up to their end, and reports them", async () => {
    const folder = await trainingFolder();
    const name = readdirSync(folder).find((one) => one.endsWith(".asi")) ?? "";
    const packed = gzipSync(readFileSync(join(folder, name)));
    rmSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), packed.subarray(0, packed.length / 2));
    const { status, stdout, stderr } = await asi(["squad", folder, ...AS_CSV]);
    expect([status, stderr.split("\n")[0]]).toEqual([
      3,
      `${join(folder, name)}.gz: the gzip data are truncated; the rows before the end are used`,
    ]);
    const truncated = tableOf(stdout).filter((row) => row.truncated === "yes");
    expect(truncated.length).toBeGreaterThan(0);
    for (const { minutes } of truncated) expect(Number(minutes)).toBeGreaterThan(0);
  });

  it("has the time of the session, and keeps sessions apart, even if a tracker wrote a row with the date of its previous start", async () => {
    const folder = await trainingFolder();
    await recordingAt(folder, "later.asi", START_MS + 7 * 86_400_000);
    const rows = [-200 * 86_400, ...Array(600).keys()].map((second) => ({
      timestamp: START_MS + second * 1000,
      latitude: 46.9629,
      longitude: 7.4648,
      speed: 5,
    }));
    for (const [name, shiftMs] of [
      ["early.asi", 0],
      ["early later.asi", 7 * 86_400_000],
    ] as const) {
      const shifted = rows.map((row) => ({ ...row, timestamp: row.timestamp + shiftMs }));
      writeFileSync(join(folder, name), await wholeBytes(encode(shifted, { serial: "TRK-8" })));
    }
    const { stdout } = await asi(["squad", folder, "--format", "csv"]);
    const found = tableOf(stdout).filter(({ period }) => period === "session");
    expect(found.map(({ session, player }) => [session, player])).toEqual([
      ...["Müller", "Kunz", "Vogel", "early"].map((player) => ["2026-05-16T12:30:00.000Z", player]),
      ...["early later", "later"].map((player) => ["2026-05-23T12:30:00.000Z", player]),
    ]);
  });

  it("finds the trackers of a roster in any session of the folder", async () => {
    const folder = scratchFolder();
    await recordingAt(folder, "first.asi", START_MS, "TRK-1");
    await recordingAt(folder, "later.asi", START_MS + 7 * 86_400_000, "TRK-2");
    writeFileSync(join(folder, "roster.csv"), "player,serial\nKunz,TRK-1\nLang,TRK-2\nRoth,TRK-3\n");
    const { stderr } = await asi(["squad", folder]);
    expect(stderr).not.toMatch(/Kunz|Lang/);
    expect(stderr.match(/No recording of Roth/g)).toHaveLength(1);
  });

  it("writes the same values as CSV for Excel, with a decimal comma and empty cells for missing figures", async () => {
    const folder = await trainingFolder();
    const output = join(folder, "squad.csv");
    const { status } = await asi(["squad", folder, "--tz", "Europe/Zurich", "-o", output, "--decimal", ","]);
    expect(status).toBe(0);
    const [header = "", ...rows] = readFileSync(output, "utf8").replace("\uFEFF", "").trimEnd().split("\n");
    const at = (row: string | undefined, name: string) => row?.split(";")[header.split(";").indexOf(name)];
    expect(rows).toHaveLength(6);
    expect(["player", "period", "distance_m", "minutes"].map((name) => at(rows[3], name))).toEqual([
      "Kunz",
      "Drill",
      "716",
      "2,9833",
    ]);
    expect(
      ["player", "distance_m", "period_minutes", "share_with_data"].map((name) => at(rows[5], name)),
    ).toEqual(["Vogel", "", "0", ""]);
  });

  it("writes a byte order mark, which Excel needs for non-ASCII letters, only in files with decimal commas", async () => {
    const folder = await trainingFolder();
    const written = async (...options: string[]) => {
      const output = join(folder, "table.csv");
      await asi(["squad", folder, "--tz", "Europe/Zurich", "-o", output, "--force", ...options]);
      return readFileSync(output);
    };
    const printed = async (...options: string[]) =>
      (await asi(["squad", folder, ...AS_CSV, ...options])).stdout;
    const commas = ["--decimal", ","];
    expect([...(await written(...commas)).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect((await written(...commas)).toString()).toBe(`\uFEFF${await printed(...commas)}`);
    expect(await printed(...commas)).toMatch(/^session;/);
    expect((await written()).toString()).toBe(await printed());
    expect(await printed()).toMatch(/^session,/);
  });

  it("applies the periods of the folder to the session that contains them if a tracker has a wrong clock, and reports it", async () => {
    const folder = await trainingFolder();
    await recordingAt(folder, "4.asi", START_MS + 3 * 3_600_000);
    const { status, stdout, stderr } = await asi(["squad", folder, ...AS_CSV]);
    expect(status).toBe(0);
    expect(tableOf(stdout).map(({ player, period }) => [player, period])).toEqual([
      ...["Müller", "Kunz", "Vogel"].flatMap((player) => [
        [player, "session"],
        [player, "Drill"],
      ]),
      ["4", "session"],
    ]);
    expect(stderr).toContain(
      "periods.csv: the recordings are from 2 sessions: 2026-05-16T14:30:00.000+02:00 to 2026-05-16T14:39:59.000+02:00 (1.asi and 2 more); 2026-05-16T17:30:00.000+02:00 to 2026-05-16T17:39:59.000+02:00 (4.asi). Its periods belong to session 1\n",
    );
  });

  it("applies the periods of the folder to the session that contains most of them, and reports the others", async () => {
    const folder = await trainingFolder();
    await recordingAt(folder, "4.asi", START_MS + 3 * 3_600_000);
    writeFileSync(join(folder, "periods.csv"), "period,start,end\nDrill,14:30,14:35\nGym,16:00,16:10\n");
    const { stdout, stderr } = await asi(["squad", folder, ...AS_CSV]);
    expect(tableOf(stdout).filter(({ period }) => period === "Drill")).toHaveLength(3);
    expect(stderr).toContain("Its periods belong to session 1, except those outside of it: Gym\n");
  });

  it("reports that the periods of the folder apply to no session, and what to do, if two sessions contain them", async () => {
    const folder = await trainingFolder();
    await recordingAt(folder, "4.asi", START_MS - 7 * 86_400_000);
    const { status, stdout, stderr } = await asi(["squad", folder, ...AS_CSV]);
    expect(status).toBe(0);
    expect(tableOf(stdout).map(({ period }) => period)).toEqual(Array(4).fill("session"));
    expect(stderr).toContain(
      "The periods are applied to none, because 2 of them contain equally many periods. Name the files of one session, with --periods; or correct the clock of the outlying tracker",
    );
  });

  it("accepts times of a player of the roster who has no recording", async () => {
    const folder = await trainingFolder();
    rmSync(join(folder, "3.asi"));
    const { status, stderr } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect([status, stderr]).toEqual([0, "No recording of Vogel, who is in the roster\n"]);
  });

  it("reports only the number of roster players without a recording if there are many", async () => {
    const folder = await folderOfTraining([3], {
      roster: [
        "Player;Serial",
        "Müller;TRK-1",
        ...Array.from({ length: 11 }, (_, i) => `P${i + 1};X-${i + 1}`),
      ],
      periods: ["period;start;end", "Drill;14:30;14:35"],
    });
    const { stderr } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect(stderr).toBe(
      "No recording of 11 of the 12 players in the roster: P1, P2, P3, P4, P5, P6, P7, P8 and 3 others\n",
    );
  });

  it("groups by position, with the mean of each, and sorts by any column", async () => {
    const { stdout } = await asi(["squad", await trainingFolder(), "--by", "position", "--sort", "+rate"]);
    const names = stdout
      .split("\n")
      .slice(3, 8)
      .map((line) => columnsOf(line)[0]);
    expect(names).toEqual(["GK of 1, whole period", "Müller", "FW of 2, whole period", "Kunz", "Vogel"]);
  });

  it("has the training impulse of players with a maximum heart rate in files and in named columns, equal to asi load", async () => {
    const folder = await folderOfTraining([3, 4], {
      roster: ["Player;Serial;max_hr", "Kunz;TRK-1;170", "Vogel;TRK-2;"],
      periods: ["period;start;end", "Drill;12:30;12:34"],
    });
    const load = ["load", join(folder, "1.asi"), "--of", "trimp-edwards", "--max-hr", "170", "--json"];
    const { load: ofDevice } = JSON.parse((await asi(load)).stdout);
    const table = tableOf((await asi(["squad", folder, "--format", "csv"])).stdout);
    // 150 is 88 % of 170: the fourth zone, for 4 minutes without the last row
    expect(table.map(({ player, period, trimp }) => [player, period, trimp])).toEqual([
      ["Kunz", "session", String(ofDevice)],
      ["Kunz", "Drill", "15.9"],
      ["Vogel", "session", ""],
      ["Vogel", "Drill", ""],
    ]);
    expect(ofDevice).toBe(39.9);
    const lines = (await asi(["squad", folder, "--format", "jsonl"])).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).trimp)).toEqual([39.9, 15.9, null, null]);
    const { stdout, stderr } = await asi(["squad", folder, "--columns", "minutes,trimp"]);
    expect(stderr).toContain("The roster has no max_hr of Vogel: their training impulse is unknown\n");
    const [, head, , ...rows] = stdout.split("\n").map(columnsOf);
    expect(head).toEqual(["Min", "TRIMP"]);
    expect(rows.slice(0, 2)).toEqual([
      ["Vogel", "10", "–"],
      ["Kunz", "10", "40"],
    ]);
    expect((await asi(["squad", folder])).stdout).not.toContain("TRIMP");
    rmSync(join(folder, "roster.csv"));
    expect((await asi(["squad", folder, "--columns", "trimp"])).stderr).toContain(
      "add the column max_hr to the roster",
    );
  });

  it("writes the figures of --columns in the order of --sort into files, one period after the other", async () => {
    const args = [await trainingFolder(), ...AS_CSV, "--columns", "top,minutes", "--sort", "distance"];
    const table = tableOf((await asi(["squad", ...args])).stdout);
    expect(table.map(({ period, player }) => `${period} ${player}`)).toEqual([
      ...["session Vogel", "session Kunz", "session Müller"],
      ...["Drill Müller", "Drill Kunz", "Drill Vogel"],
    ]);
    const columns = Object.keys(table[0] ?? {});
    expect(columns.slice(columns.indexOf("end") + 1, columns.indexOf("high_speed_from_m_per_s"))).toEqual([
      "top_speed_km_per_h",
      "minutes",
    ]);
    const unsorted = tableOf((await asi(["squad", ...args.slice(0, -2)])).stdout);
    expect(unsorted.map(({ player }) => player).slice(0, 3)).toEqual(["Müller", "Müller", "Kunz"]);
  });

  it("reports the file, the line and the required action if a roster or the periods are invalid", async () => {
    const folder = await trainingFolder();
    writeFileSync(
      join(folder, "periods.csv"),
      "period,start,end,player\nDrill,soon,14:35,\nDrill,14:30,14:35,Nobody\n",
    );
    const { status, stdout, stderr } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${join(folder, "periods.csv")}, line 2: "soon" is not a time.`);
    expect(stderr).toContain('line 3: No recording belongs to "Nobody".');
  });

  it("counts a copy of a recording once, and reports it, like asi load", async () => {
    const folder = await trainingFolder();
    const [before, load] = [await asi(["squad", folder, "--format", "csv"]), await asi(["load", folder])];
    copyFileSync(join(folder, "1.asi"), join(folder, "1 (1).asi"));
    const again = await asi(["squad", folder, "--format", "csv"]);
    expect(again.stdout).toBe(before.stdout);
    expect(again.stderr).toContain("1 (1).asi has the same content as 1.asi and is ignored");
    const loadAgain = await asi(["load", folder]);
    expect(loadAgain.stdout).toBe(load.stdout);
    expect(loadAgain.stderr).toContain("and is ignored");
  });

  it("reports which of several simultaneous recordings counts if a pattern of the roster is too general", async () => {
    const folder = await folderOfTraining([3, 4, 8], { roster: ["player,file", "Ann,*"], periods: [] });
    rmSync(join(folder, "periods.csv"));
    const { stdout, stderr } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect(stdout).toContain("1 player");
    expect(stdout).toContain("2 overlapping left out");
    expect(stderr).toContain(
      "Ann has simultaneous recordings: 1.asi counts, 2.asi, 3.asi does not. If they are of different players, give each a separate serial or file in the roster",
    );
  });

  it("lets periods name a player of the roster without a recording", async () => {
    const folder = await trainingFolder();
    rmSync(join(folder, "3.asi"));
    const { status, stdout } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Drill");
  });

  it("reports the date of periods that are on another day than the recordings", async () => {
    const folder = await trainingFolder();
    writeFileSync(join(folder, "periods.csv"), "period,start,end\nDrill,2026-05-17 12:30,2026-05-17 12:35\n");
    const { stderr } = await asi(["squad", folder]);
    expect(stderr).toContain(
      'Not within the recordings, which are from 2026-05-16 12:30:00 to 12:39:59 (UTC): "Drill" (2026-05-17 12:30:00 to 12:35:00). Change the dates of the periods',
    );
  });

  it("suggests periods with the times of substitutes as lines of a periods.csv, and nothing after they are saved", async () => {
    const folder = scratchFolder();
    const start = Date.UTC(2026, 4, 16, 12);
    // minutes on the pitch: the third player replaces the second
    const times: Record<string, [number, number]> = {
      Keller: [10, 50],
      Kunz: [10, 35],
      Vogel: [35, 50],
      Wolf: [10, 50],
    };
    for (const [name, [from, to]] of Object.entries(times)) {
      const rows = Array.from({ length: 3600 }, (_, second) => ({
        timestamp: start + second * 1000,
        latitude: 46.9629 + (second % 61) / 100_000,
        longitude: 7.4648 + (second % 97) / 100_000,
        speed: second >= from * 60 && second < to * 60 ? 3 : 0,
      }));
      writeFileSync(
        join(folder, `${name}.asi`),
        await wholeBytes(encode(rows, { serial: name, periodMs: 1000 })),
      );
    }
    const lines = [
      "period,start,end,player",
      "Part 1,12:10:00,12:50:00,",
      "Part 1,12:10:00,12:35:00,Kunz",
      "Part 1,12:35:00,12:50:00,Vogel",
    ];
    const first = await asi(["squad", folder]);
    expect(first.stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^Periods are suggested from common pauses\. 2 players seem to come on, go off or sit out;/,
      ),
      ...lines,
    ]);
    writeFileSync(join(folder, "periods.csv"), lines.slice(0, 2).join("\n"));
    const second = await asi(["squad", folder]);
    expect(second.stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^2 players seem to come on, go off or sit out; without these times the bench counts/,
      ),
      ...lines,
    ]);
    writeFileSync(join(folder, "periods.csv"), lines.join("\n"));
    expect((await asi(["squad", folder])).stderr).toBe("");
  });

  it("continues without a recording that cannot be read, and reports it", async () => {
    const folder = await trainingFolder();
    writeFileSync(join(folder, "4.asi"), "no recording");
    const { status, stdout, stderr } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect(status).toBe(1);
    expect(stdout).toContain("3 players");
    expect(stderr).toContain("4.asi");
    await asi(["squad", folder, "--tz", "Europe/Zurich", "-o", join(folder, "report.html")]);
    expect(readFileSync(join(folder, "report.html"), "utf8")).toContain(
      "Files that cannot be read have no row: 4.asi.",
    );
  });

  it("reports that a workbook must be saved as CSV", async () => {
    const folder = await trainingFolder();
    const path = join(folder, "roster.xlsx");
    writeFileSync(path, "PK\x03\x04 and more");
    const { status, stderr } = await asi(["squad", folder, "--roster", path]);
    expect(status).toBe(1);
    expect(stderr).toContain(
      "roster.xlsx, line 1: This is a workbook, not CSV. Save its table as CSV (UTF-8)",
    );
  });

  it("lists the columns if one does not exist", async () => {
    const { status, stderr } = await asi(["squad", "match", "--sort", "luck"]);
    expect(status).toBe(2);
    expect(stderr).toContain("There is no column luck. The columns are minutes, distance_m,");
  });
});

describe("the match of the demonstration", () => {
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

  it("has a changed tracker, a late start and a damaged file", () => {
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
