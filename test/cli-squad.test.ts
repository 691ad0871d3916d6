import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { folderOfTraining, recordingAt, START_MS, trainingFolder } from "./training-folder.js";
import { wholeBytes } from "./whole.js";

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

  it("groups by position, with the mean of each, and sorts by any column", async () => {
    const { stdout } = await asi(["squad", await trainingFolder(), "--by", "position", "--sort", "+rate"]);
    const names = stdout
      .split("\n")
      .slice(3, 8)
      .map((line) => columnsOf(line)[0]);
    expect(names).toEqual(["GK of 1, whole period", "Müller", "FW of 2, whole period", "Kunz", "Vogel"]);
  });

  it("shows the training impulse of players with a maximum heart rate in files and in named columns, equal to asi load", async () => {
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
    expect(stderr).toContain("The roster has no max_hr for Vogel: their training impulse is unknown\n");
    const [, head, , ...rows] = stdout.split("\n").map(columnsOf);
    expect(head).toEqual(["Min", "TRIMP"]);
    expect(rows.slice(0, 2)).toEqual([
      ["Vogel", "10", "–"],
      ["Kunz", "10", "40"],
    ]);
    expect((await asi(["squad", folder])).stdout).not.toContain("TRIMP");
    // the table computes it from the age
    writeFileSync(
      join(folder, "roster.csv"),
      "Player;Serial;max_hr;birth_date\nKunz;TRK-1;170;\nVogel;TRK-2;;1996-05-17\n",
    );
    const ofAge = await asi(["squad", folder, "--columns", "trimp"]);
    expect(ofAge.stdout).not.toContain("–");
    expect(ofAge.stderr).toContain(
      "The roster has no max_hr for Vogel: their maximum heart rate is estimated from the age\n",
    );
    expect(ofAge.stderr).not.toContain("unknown");
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

  it("suggests periods with the times of substitutes as lines for periods.csv, and suggests nothing after they are saved", async () => {
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

  it("lists the columns if one does not exist", async () => {
    const { status, stderr } = await asi(["squad", "match", "--sort", "luck"]);
    expect(status).toBe(2);
    expect(stderr).toContain("There is no column luck. The columns are minutes, distance_m,");
  });
});
