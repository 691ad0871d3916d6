import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { DAY_MS, PLAYED_S, recording, SPEEDS, START_MS, seasonFolder } from "./cli-season-scene.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

describe("asi squad --by player", () => {
  it("reports a recording that partly has a wrong date, and counts the session of the others", async () => {
    const season = await seasonFolder();
    const years = [2020, 2026].map((year) => ({
      timestamp: Date.UTC(year, 3, 12),
      latitude: 46.9629,
      longitude: 7.4648,
      speed: 3,
    }));
    writeFileSync(join(season, "match 1", "wrong.asi"), await wholeBytes(encode(years, { serial: "TRK-9" })));
    const sessions = async () => {
      const { status, stdout, stderr } = await asi(["squad", season, "--by", "player", "--format", "csv"]);
      return { status, rows: tableOf(stdout).length, stderr };
    };
    const found = await sessions();
    expect([found.status, found.stderr]).toEqual([
      1,
      expect.stringContaining(
        "wrong.asi: The rows are from 2020-04-12 to 2026-04-12, so some have a wrong date.",
      ),
    ]);
    rmSync(join(season, "match 1", "wrong.asi"));
    expect(found.rows).toBe((await sessions()).rows);
  });

  it("uses the date of the session, even if a tracker wrote a row with the date of its previous start", async () => {
    const season = await seasonFolder();
    const daysIn = async () => {
      const { stdout } = await asi(["squad", season, "--by", "player", "--format", "csv"]);
      return tableOf(stdout).map(({ start }) => start?.slice(0, 10));
    };
    const before = await daysIn();
    const seconds = [-200 * 86_400, ...Array(600).keys()];
    const rows = seconds.map((second) => ({
      timestamp: START_MS + 3 * DAY_MS + second * 1000,
      latitude: 46.9629,
      longitude: 7.4648,
      speed: 3,
    }));
    writeFileSync(join(season, "training", "b.asi"), await wholeBytes(encode(rows, { serial: "TRK-2" })));
    const days = await daysIn();
    expect(days).toHaveLength(before.length + 1);
    expect(new Set(days)).toEqual(new Set(before));
  });

  it("shows all sessions of each player (both halves of a match, other sessions as a whole), compared with the last five matches", async () => {
    const { status, stdout, stderr } = await asi([
      "squad",
      await seasonFolder(),
      "--by",
      "player",
      "--format",
      "csv",
    ]);
    expect([status, stderr]).toEqual([0, ""]);
    const rows = tableOf(stdout);
    const of = (name: string) => rows.filter(({ player }) => player === name);
    const cells = (player: string, ...columns: string[]) =>
      of(player).map((row) => columns.map((column) => row[column]));
    expect(cells("Kunz", "session", "kind", "days_since")).toEqual([
      ["match 1", "match", ""],
      ["training", "training", "3"],
      ["match 2", "match", "4"],
      ["match 3", "match", "7"],
      ["match 4", "match", "7"],
      ["match 5", "match", "7"],
      ["match 6", "match", "7"],
    ]);
    const metres = [SPEEDS[0] ?? 0, 0, ...SPEEDS.slice(1)].map((speed, i) =>
      i === 1 ? 600 * 5 : Number((speed * PLAYED_S).toFixed(3)),
    );
    expect(cells("Kunz", "distance_m").flat().map(Number)).toEqual(metres);
    // 5 m/s of the training session relative to the match before, 3.3 m/s relative to the mean of the five before
    const shares = cells("Kunz", "rate_m_per_min_percent_of_last_5_matches").flat();
    expect([shares[0], shares[1], shares.at(-1)]).toEqual(["", "178.6", "110"]);
    expect(cells("Lang", "session", "distance_m")).toEqual([["match 1", "3598"]]);
  });

  it("counts the halves of a match in which a tracker has a wrong clock, and reports the session", async () => {
    const folder = await seasonFolder();
    const wrong = recording("TRK-2", START_MS + 7 * DAY_MS + 5 * 3_600_000, 3660, 2);
    writeFileSync(join(folder, "match 2", "b.asi"), await wrong);
    const { status, stdout, stderr } = await asi(["squad", folder, "--by", "player", "--format", "csv"]);
    expect(status).toBe(0);
    const rows = tableOf(stdout).filter(({ session = "" }) => session.startsWith("match 2"));
    expect(rows.map(({ session, player, kind }) => [session, player, kind])).toEqual([
      ["match 2 2", "Lang", "training"],
      ["match 2 1", "Kunz", "match"],
    ]);
    expect(stderr).toMatch(
      /periods\.csv: the recordings are from 2 sessions: .* Its periods belong to session 1\n/,
    );
  });

  it("shows each player with mean, best, share of the last matches, and days since", async () => {
    const { stdout } = await asi([
      "squad",
      await seasonFolder(),
      "--by",
      "player",
      "--columns",
      "distance,rate",
    ]);
    const lines = stdout.split("\n").map((line) => line.trim().split(/\s{2,}/));
    expect(stdout).toContain("7 sessions, 2026-04-12 to 2026-05-17, 2 players.");
    expect(lines).toContainEqual(["11 Kunz FW: 7 sessions"]);
    expect(lines).toContainEqual(["2026-05-17", "match 6 M", "11,873", "198", "7 d"]);
    expect(lines).toContainEqual(["Best", "11,873", "300"]);
    expect(lines).toContainEqual(["Mean of 6 matches", "10,974", "183"]);
    expect(lines).toContainEqual(["Last, against up to 5 matches", "110 %", "110 %"]);
    expect(lines).toContainEqual(["10 Lang MF: 1 session, 35 days before the last of the squad"]);
    // Lang plays only one half
    expect(lines).toContainEqual(["Mean of 0 sessions", "–", "–"]);
  });

  it("draws the season in one file, with a panel for each player and a table with the same values", async () => {
    const folder = await seasonFolder();
    const output = join(folder, "season.html");
    expect((await asi(["squad", folder, "--by", "player", "-o", output])).status).toBe(0);
    const html = readFileSync(output, "utf8");
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('aria-label="Kunz: 198 m/min, ▲ +10 %"');
    expect(html).toContain("match 6, Sun, 17 May 2026");
    expect(html).toMatch(/11 Kunz<\/th><td>198<\/td><td>▲ \+10 %<\/td><td>180<\/td>/);
    expect(html).toMatch(/10 Lang<\/th><td>–<\/td><td>no recording<\/td>/);
  });

  it("treats the folders that --matches names as matches", async () => {
    const folder = await seasonFolder();
    const args = ["squad", folder, "--by", "player", "--format", "csv", "--matches", "*[135]"];
    const kinds = tableOf((await asi(args)).stdout)
      .filter(({ player }) => player === "Kunz")
      .map(({ kind }) => kind);
    expect(kinds).toEqual(["match", "training", "training", "match", "training", "match", "training"]);
  });

  it("treats a match without known halves as a session, and reports such matches once", async () => {
    const folder = await seasonFolder();
    rmSync(join(folder, "match 4", "periods.csv"));
    // a third period as long as a half, and no names
    const halves = "period;start;end\r\n1st half;13:00;13:30;\r\n2nd half;13:31;14:01;\r\n";
    const parts = `${halves.replaceAll("half", "part")}3rd part;12:29;12:59\r\n`;
    writeFileSync(join(folder, "match 5", "periods.csv"), parts);
    writeFileSync(join(folder, "match 6", "periods.csv"), `${halves}Extra time;14:01;14:02\r\n`);
    const args = ["squad", folder, "--by", "player", "--matches", "match*"];
    const notes = [
      "match 4, match 5: The halves are not known, so the figures are of the whole session and do not count as those of a match. Add a period for each half: exactly two of 30 to 70 minutes, at most 40 minutes apart.",
      "match 6: Match is the sum of the two halves, without extra time.",
    ];
    const { stdout, stderr } = await asi([...args, "--format", "csv"]);
    for (const note of notes) expect(stderr.split(`${note}\n`)).toHaveLength(2);
    const rows = tableOf(stdout).filter(({ player }) => player === "Kunz");
    expect(rows.map(({ session, kind, covers }) => [session, kind, covers])).toEqual([
      ["match 1", "match", "halves"],
      ["training", "training", "session"],
      ["match 2", "match", "halves"],
      ["match 3", "match", "halves"],
      ["match 4", "match", "session"],
      ["match 5", "match", "session"],
      ["match 6", "match", "halves"],
    ]);
    // 3.3 m/s relative to the mean of 2.8, 3.2 and 3 m/s
    expect(rows.at(-1)?.rate_m_per_min_percent_of_last_5_matches).toBe("110");
    const text = await asi(args);
    for (const note of notes) expect(text.stdout).toContain(`${note}\n`);
    expect(text.stderr).not.toContain("halves");
    expect(text.stdout).toMatch(/match 3 M .*\n.*match 4 {2}.*\n.*match 5 {2}.*\n.*match 6 M /);
    const html = (await asi([...args, "--format", "html"])).stdout;
    for (const note of notes) expect(html).toContain(note);
    // without --matches, these sessions are not matches
    expect((await asi(["squad", folder, "--by", "player"])).stdout).not.toContain("halves are not known");
  });

  it("stores the results of each session only with --cache, and computes them again after a change", async () => {
    const folder = await seasonFolder();
    const run = (...more: string[]) => asi(["squad", folder, "--by", "player", "--format", "csv", ...more]);
    const plain = (await run()).stdout;
    const cache = join(folder, "match 1", ".asi-squad-cache.json");
    expect(existsSync(cache)).toBe(false);
    expect((await run("--cache")).stdout).toBe(plain);
    const kept = readFileSync(cache, "utf8");
    // figures, not the rows of the recordings
    expect(kept).not.toMatch(/timestampMs|latitudeE7/);
    // the cached data are shown
    writeFileSync(cache, kept.replaceAll('"Lang"', '"Long"'));
    expect((await run("--cache")).stdout).toContain("Long");
    expect((await run()).stdout).toBe(plain);
    writeFileSync(join(folder, "match 1", "b.asi"), await recording("TRK-2", START_MS, 3660, 2.5));
    const changed = tableOf((await run("--cache")).stdout).find(({ player }) => player === "Lang");
    expect(changed?.distance_m).toBe(String(1799 * 2.5));
    // an unreadable cache is ignored
    writeFileSync(cache, "{");
    expect((await run("--cache")).status).toBe(0);
  });

  it("continues without a session whose periods or recordings cannot be read, and reports it", async () => {
    const folder = await seasonFolder();
    writeFileSync(join(folder, "match 2", "periods.csv"), "period,start,end\nHalf,soon,14:00\n");
    writeFileSync(join(folder, "match 3", "b.asi"), "no recording");
    const { status, stdout, stderr } = await asi(["squad", folder, "--by", "player", "--format", "csv"]);
    expect(status).toBe(1);
    expect(tableOf(stdout).filter(({ player }) => player === "Kunz")).toHaveLength(6);
    expect(stderr).toContain(`${join(folder, "match 2", "periods.csv")}, line 2: "soon" is not a time.`);
    expect(stderr).toContain(`${join(folder, "match 3", "b.asi")}: `);
  });

  it("writes the same values as Parquet: text, numbers, times, and nulls for missing figures", async () => {
    const folder = await seasonFolder();
    rmSync(join(folder, "training"), { recursive: true });
    const output = join(folder, "season.parquet");
    await asi(["squad", folder, "--by", "player", "-o", output]);
    const { buffer, byteOffset, byteLength } = readFileSync(output);
    const rows = await parquetReadObjects({
      file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
    });
    const { stdout } = await asi(["squad", folder, "--by", "player", "--format", "jsonl"]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(7);
    expect(rows.map((row) => ({ ...row, start: (row.start as Date).toISOString() }))).toEqual(lines);
    expect(lines.some((row) => row.accelerations === null)).toBe(true);
  });

  it("refuses options that apply to one session", async () => {
    for (const [args, message] of [
      [["season", "--by", "player", "--periods", "periods.csv"], /Periods belong to one session/],
      [["season", "--cache"], /for a season; add --by player/],
      [["-", "--by", "player"], /not from standard input/],
    ] as const) {
      const { status, stderr } = await asi(["squad", ...args]);
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
  });

  it("has the rows that are too fast for the sport in all outputs, and asks for the sport", async () => {
    const season = join(scratchFolder(), "season");
    mkdirSync(join(season, "day"), { recursive: true });
    const rows = Array.from({ length: 901 }, (_, second) => ({
      timestamp: START_MS + second * 1000,
      latitude: 46.9629,
      longitude: 7.4648,
      speed: second >= 100 && second < 103 ? 15 : 3,
    }));
    writeFileSync(join(season, "day", "Kunz.asi"), await wholeBytes(encode(rows, { serial: "TRK-1" })));
    const args = ["squad", season, "--by", "player"];
    const note = "Too fast for the sport and in no figure: Kunz (3 rows, 4.0 s). Is the sport correct?";
    const csv = await asi([...args, "--format", "csv"]);
    expect(tableOf(csv.stdout).map((row) => [row.too_fast_rows, row.too_fast_s])).toEqual([["3", "4"]]);
    expect(csv.stderr).toContain(note);
    const text = (await asi(args)).stdout;
    expect(text).toContain(note);
    expect(text).toMatch(/day .* {2}3 rows too fast\n/);
    const html = (await asi([...args, "--format", "html"])).stdout;
    expect(html).toContain(note);
    expect(html).toContain(", 3 rows too fast</title>");
    const riding = await asi([...args, "--format", "csv", "--sport", "biking"]);
    expect([riding.stderr, tableOf(riding.stdout)[0]?.too_fast_rows]).toEqual(["", "0"]);
  });
});
