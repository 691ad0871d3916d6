/** The files that `asi squad` reads: recordings, rosters and periods, and what it reports about them. */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { folderOfTraining, recordingAt, START_MS, trainingFolder } from "./training-folder.js";
import { wholeBytes } from "./whole.js";

const AS_CSV = ["--tz", "Europe/Zurich", "--format", "csv"];

describe("asi squad", () => {
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

  it("shows the time of the session, and separates sessions, even if a tracker wrote a row with the date of its previous start", async () => {
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

  it("finds the trackers of a roster in every session of the folder", async () => {
    const folder = scratchFolder();
    await recordingAt(folder, "first.asi", START_MS, "TRK-1");
    await recordingAt(folder, "later.asi", START_MS + 7 * 86_400_000, "TRK-2");
    writeFileSync(join(folder, "roster.csv"), "player,serial\nKunz,TRK-1\nLang,TRK-2\nRoth,TRK-3\n");
    const { stderr } = await asi(["squad", folder]);
    expect(stderr).not.toMatch(/Kunz|Lang/);
    expect(stderr.match(/No recording of Roth/g)).toHaveLength(1);
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

  it("accepts the names of both recordings of a tracker that is not in a roster and was worn in two sessions", async () => {
    const folder = await trainingFolder();
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await recordingAt(folder, "Kunz-am.asi", START_MS);
    await recordingAt(folder, "Kunz-pm.asi", START_MS + 6 * 3_600_000);
    const periods = ["period,player,start,end", "1st half,,20:31,20:36", "1st half,Kunz-pm,20:33,20:36"];
    writeFileSync(join(folder, "periods.csv"), periods.join("\n"));
    for (const how of [[], ["--by", "player"]]) {
      const { status, stdout, stderr } = await asi(["squad", folder, ...AS_CSV, ...how]);
      expect([status, stderr]).not.toContainEqual(expect.stringContaining("No recording belongs to"));
      expect(status).toBe(0);
      expect(stdout).toContain("Kunz-pm");
    }
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
      "The periods are not applied to any of them, because 2 of them contain the same number of periods. Name the files of one session, with --periods; or correct the clock of the outlying tracker",
    );
  });

  it("excludes another session in one of the recordings, and says so", async () => {
    const folder = await trainingFolder();
    const whole = tableOf((await asi(["squad", folder, ...AS_CSV])).stdout);
    const DAY_MS = 86_400_000;
    const rows = [START_MS - 4 * DAY_MS, START_MS].flatMap((startMs) =>
      Array.from({ length: 600 }, (_, second) => ({
        timestamp: startMs + second * 1000,
        latitude: 46.9629 + second * 1e-5,
        longitude: 7.4648,
        speed: 3,
        hr: 150,
      })),
    );
    writeFileSync(join(folder, "1.asi"), await wholeBytes(encode(rows, { serial: "TRK-1" })));
    // as long as the other recordings, so that one part has three quarters of the time
    await recordingAt(folder, "4.asi", START_MS);
    const { stdout, stderr } = await asi(["squad", folder, ...AS_CSV]);
    expect(stderr).toContain(
      "1.asi has rows of 2026-05-12 and 2026-05-16, and only those of 2026-05-16 are included in the figures. Split the recording with asi convert --from and --to, and asi encode\n",
    );
    const minutes = (table: ReturnType<typeof tableOf>) =>
      table
        .filter(({ period }) => period === "session")
        .slice(0, 3)
        .map((row) => row.minutes);
    expect(minutes(tableOf(stdout))).toEqual(minutes(whole));
  });

  it("accepts times for a roster player who has no recording", async () => {
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

  it("counts a truncated copy and the whole recording of a tracker as one player without a roster", async () => {
    const folder = await folderOfTraining([3, 4], { roster: [], periods: [] });
    rmSync(join(folder, "periods.csv"));
    rmSync(join(folder, "roster.csv"));
    const before = await asi(["squad", folder, "--format", "csv"]);
    const whole = readFileSync(join(folder, "1.asi"));
    writeFileSync(join(folder, "1-cut.asi"), whole.subarray(0, whole.length / 2));
    const { stdout, stderr } = await asi(["squad", folder, "--format", "csv"]);
    expect(stderr).toContain("1 has simultaneous recordings: only 1.asi is used, not 1-cut.asi.");
    const leftOut = (text: string) => tableOf(text).map(({ left_out: _, ...row }) => row);
    expect(leftOut(stdout)).toEqual(leftOut(before.stdout));
    expect(tableOf(stdout).map(({ player, left_out }) => [player, left_out])).toEqual([
      ["1", "1-cut.asi"],
      ["2", ""],
    ]);
  });

  it("says below the table of a match that it is without extra time, only if there is extra time", async () => {
    const folder = scratchFolder();
    const rows = Array.from({ length: 80 * 60 }, (_, second) => ({
      timestamp: START_MS + second * 1000,
      latitude: 46.9629,
      longitude: 7.4648,
      speed: 3,
    }));
    writeFileSync(join(folder, "a.asi"), await wholeBytes(encode(rows, { serial: "TRK-1" })));
    const text = async (last: string) => {
      const lines = ["period,start,end", "1st half,12:30,13:00", "2nd half,13:02,13:32", last];
      writeFileSync(join(folder, "periods.csv"), lines.join("\n"));
      return (await asi(["squad", folder])).stdout;
    };
    const note = "Match is the sum of the two halves, without extra time.\n";
    const tables = (await text("Extra time,13:34,13:49")).split("\n\n");
    expect(tables.map((table) => `${table}\n`.endsWith(note))).toEqual([false, true, false, false, false]);
    const noteLine = note.trim();
    const csv = await asi(["squad", folder, "--format", "csv"]);
    expect(csv.stderr).toContain(noteLine);
    expect(tableOf(csv.stdout).map(({ period, match_note }) => [period, match_note])).toEqual([
      ["session", ""],
      ["Match", noteLine],
      ["1st half", ""],
      ["2nd half", ""],
      ["Extra time", ""],
    ]);
    await asi(["squad", folder, "-o", join(folder, "match.xlsx")]);
    const workbook = unzipSync(readFileSync(join(folder, "match.xlsx")));
    expect(Object.values(workbook).some((part) => strFromU8(part).includes(noteLine))).toBe(true);
    expect(await text("Cool-down,13:34,13:49")).not.toContain(note);
    const without = await asi(["squad", folder, "--format", "csv"]);
    expect(`${without.stdout}${without.stderr}`).not.toMatch(/match_note|extra time/);
  });

  it("reports which of several simultaneous recordings counts if a pattern of the roster is too general", async () => {
    const folder = await folderOfTraining([3, 4, 8], { roster: ["player,file", "Ann,*"], periods: [] });
    rmSync(join(folder, "periods.csv"));
    const { stdout, stderr } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect(stdout).toContain("1 player");
    expect(stdout).toContain("2 overlapping left out");
    expect(stderr).toContain(
      "Ann has simultaneous recordings: only 1.asi is used, not 2.asi, 3.asi. If they are of different players, give each a separate serial number or file in the roster",
    );
  });

  it("accepts periods for a roster player without a recording", async () => {
    const folder = await trainingFolder();
    rmSync(join(folder, "3.asi"));
    const { status, stdout } = await asi(["squad", folder, "--tz", "Europe/Zurich"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Drill");
  });

  it("reports the date of periods that are on a different day than the recordings", async () => {
    const folder = await trainingFolder();
    writeFileSync(join(folder, "periods.csv"), "period,start,end\nDrill,2026-05-17 12:30,2026-05-17 12:35\n");
    const { stderr } = await asi(["squad", folder]);
    expect(stderr).toContain(
      'Periods outside the recordings, which are from 2026-05-16 12:30:00 to 12:39:59 (UTC): "Drill" (2026-05-17 12:30:00 to 12:35:00). Change the dates of the periods',
    );
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
});
