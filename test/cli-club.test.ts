import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { convert } from "../src/index.js";
import { asi, MATCH, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { folderOfTraining } from "./training-folder.js";
import { wholeText } from "./whole.js";

// Tests of the files of a club, thresholds and decimal commas in asi stats, asi plot, asi report and asi squad.

/** Two players at 4 and 6 m/s. */
const clubFolder = () =>
  folderOfTraining([4, 6], {
    roster: ["Player;Serial;max_hr;sprint;high_speed", "Müller;TRK-1;200;3,9 m/s;3,5 m/s", "Kunz;TRK-2;;;"],
    periods: ["period;start;end;player", "Drill;14:30;14:35;", "Drill;-;-;Kunz"],
  });

const CLUB = ["--roster", "roster.csv", "--periods", "periods.csv", "--tz", "Europe/Zurich"];

describe("asi stats", () => {
  it("shows the players of a roster with their thresholds, and a row for each period, with decimal commas", async () => {
    const cwd = await clubFolder();
    const args = ["stats", ".", ...CLUB, "--format", "csv", "--decimal", ","];
    const { status, stdout, stderr } = await asi(args, { cwd });
    expect([status, stderr]).toEqual([0, ""]);
    const cells = (...columns: string[]) => tableOf(stdout).map((row) => columns.map((name) => row[name]));
    // 599 s of 4 and of 6 m/s; 299 s in the drill
    expect(cells("player", "period", "distance_m", "sprints", "max_hr_bpm")).toEqual([
      ["Müller", "whole", "2396", "1", "200"],
      ["Müller", "Drill", "1196", "1", "200"],
      ["Kunz", "whole", "3594", "0", ""],
      ["Kunz", "Drill", "", "", ""],
    ]);
    expect(cells("sprint_from_m_per_s", "high_speed_from_m_per_s").slice(1, 3)).toEqual([
      ["3,9", "3,5"],
      ["7", "5,5"],
    ]);
    // 150 of 200 bpm
    expect(cells("hr_time_70_to_80_percent_of_max_percent")[0]).toEqual(["100"]);
    expect(cells("start")[1]).toEqual(["2026-05-16T14:30:00.000+02:00"]);
  });

  it("writes its table to a file, which begins with a byte order mark if it has decimal commas, for Excel", async () => {
    const cwd = await clubFolder();
    const args = ["stats", ".", ...CLUB, "--format", "csv"];
    for (const [marks, mark] of [
      [[], ""],
      [["--decimal", ","], "\uFEFF"],
    ] as const) {
      const { stdout } = await asi([...args, ...marks], { cwd });
      await asi([...args, ...marks, "-o", "match.csv", "--force"], { cwd });
      expect(readFileSync(join(cwd, "match.csv"), "utf8")).toBe(mark + stdout);
    }
  });

  it("counts by recipes in each period, like asi squad --recipe, and supports all its other optional figures", async () => {
    const cwd = await clubFolder();
    writeFileSync(
      join(cwd, "periods.csv"),
      "period,start,end\nEarly,14:30,14:31\nDrill,14:31,14:35\nLate,16:30,16:35\n",
    );
    const recipe = ["--recipe", "soccer/hid-4"];
    const further = ["--peaks", "--profile", "--metabolic-power", "--standard-runs", "--sensitivity"];
    const { stdout } = await asi(["stats", "2.asi", ...CLUB, ...recipe, ...further, "--json"], { cwd });
    const { figures, periods } = JSON.parse(stdout);
    const countsOf = (all: typeof figures) =>
      all.recipes.map(({ distance }: { distance: number }) => distance);
    // 599 s of 6 m/s; 59 s and 239 s in the periods
    expect(countsOf(figures)).toEqual([3594]);
    const [early, drill, late] = periods;
    expect([early, drill].map(({ figures: own }) => countsOf(own))).toEqual([[354], [1434]]);
    expect(Object.keys(drill.figures)).toEqual(Object.keys(figures));
    expect(drill.figures.peak_demands.peaks.distance.at(-1).value).toBeNull();
    expect(late.figures).toBeNull();
    const squad = await asi(["squad", "2.asi", ...CLUB, ...recipe, "--format", "csv"], { cwd });
    const ofSquad = tableOf(squad.stdout).map((row) => [row.period, row.soccer_hid_4_distance_m]);
    expect(ofSquad).toEqual(
      expect.arrayContaining([
        ["Early", "354"],
        ["Drill", "1434"],
      ]),
    );
    const text = await asi(["stats", "2.asi", ...CLUB, ...recipe], { cwd });
    expect(text.stdout.match(/soccer\/hid-4: .*/g)).toEqual([
      "soccer/hid-4: 1, 3594 m",
      "soccer/hid-4: 1, 354 m",
      "soccer/hid-4: 1, 1434 m",
    ]);
  });

  it("leaves all figures of a period without data empty, because 0 would mean standing still", async () => {
    const cwd = await clubFolder();
    writeFileSync(join(cwd, "periods.csv"), "period,start,end\nLate,16:30,16:35\n");
    const { stdout } = await asi(["stats", "1.asi", ...CLUB, "--format", "csv"], { cwd });
    const [, late = {}] = tableOf(stdout);
    const filled = Object.keys(late).filter((column) => late[column] !== "");
    expect(filled).toEqual([
      ...["input", "player", "period", "serial", "damaged"],
      // from the roster, not for the period
      ...["high_speed_from_m_per_s", "sprint_from_m_per_s", "max_hr_bpm"],
    ]);
    const { stdout: text } = await asi(["stats", "1.asi", ...CLUB], { cwd });
    expect(text.slice(text.indexOf("Müller, Late"))).toBe("Müller, Late\n  no data in the period\n");
  });

  it("assigns times without a date to the same day as asi squad, even if a tracker wrote rows before it had received the date", async () => {
    const cwd = await clubFolder();
    const { body } = convert(new Uint8Array(readFileSync(join(cwd, "1.asi"))));
    const [header, ...rows] = (await wholeText(body)).trim().split("\n");
    const dayBefore = rows
      .slice(0, 5)
      .map((row) => row.replace(/^\d+/, (seconds) => `${Number(seconds) - 86_400}`));
    writeFileSync(join(cwd, "two-days.csv"), [header, ...dayBefore, ...rows].join("\n"));
    await asi(["encode", "two-days.csv", "--serial", "TRK-1", "-o", "1.asi", "--force"], { cwd });
    const drillOf = async (...args: string[]) => {
      const { stdout, stderr } = await asi([...args, "1.asi", ...CLUB, "--format", "csv"], { cwd });
      return { stderr, metres: tableOf(stdout).find(({ period }) => period === "Drill")?.distance_m };
    };
    expect((await drillOf("stats")).metres).toBe("1196");
    expect((await drillOf("squad")).metres).toBe("1196");
  });

  it("refuses a threshold above the maximum valid speed, and reports whether it is from a roster", async () => {
    const cwd = await clubFolder();
    for (const command of [["stats"], ["squad"], ["plot", "--out-dir", "."]]) {
      const { status, stderr } = await asi([...command, "1.asi", "--sprint", "20m/s"], { cwd });
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining(
          "--sprint or --high-speed: no row reaches the threshold of 72.0 km/h, because rows faster than 45.0 km/h are not counted.",
        ),
      ]);
    }
    writeFileSync(join(cwd, "roster.csv"), "player,serial,sprint\nMüller,TRK-1,20 m/s\n");
    const told =
      "no row reaches the threshold of 72.0 km/h, because rows faster than 45.0 km/h are not counted. Check the unit.\n";
    for (const [command, name] of [
      ["stats", "1.asi"],
      ["squad", "Müller"],
    ] as const) {
      const { stderr } = await asi([command, "1.asi", "--roster", "roster.csv"], { cwd });
      expect(stderr, command).toContain(`${name}: ${told}`);
    }
  });

  it("reports which periods are not within a recording, for example because of another time zone", async () => {
    const cwd = await clubFolder();
    const drill =
      '1.asi: Periods outside the recordings, which are from 12:30:00 to 12:39:59 (UTC): "Drill" (14:30:00 to 14:35:00). Set the time zone of the periods with --tz\n';
    for (const args of [["stats"], ["stats", "--jobs", "2"], ["plot", "--out-dir", "."]]) {
      const { status, stderr } = await asi([...args, "1.asi", "2.asi", "--periods", "periods.csv"], { cwd });
      // Kunz does not take part in it, but no roster states that 2.asi belongs to Kunz
      expect([status, stderr]).toEqual([1, expect.stringContaining('No recording belongs to "Kunz"')]);
      const named = await asi([...args, "1.asi", "2.asi", ...CLUB.slice(0, 4)], { cwd });
      expect([named.status, named.stderr.replace(/^.* -> .*\n/gm, "")]).toEqual([0, drill]);
    }
  });

  it.for([
    [
      "which players of the roster have no recording",
      "TRK-2\nVogel,TRK-3",
      ["No recording of Vogel, who is in the roster"],
    ],
    ["which recordings the roster does not name", "", ["The roster does not contain the trackers of 2"]],
    [
      "which line of the roster matches no recording, and which recording has no player",
      "TRK-22",
      [
        "roster.csv, line 3: No recording belongs to TRK-22, so this line and the periods of Kunz have no effect. TRK-2 (2.asi) is not in the roster. If it belongs to Kunz, correct the line",
      ],
    ],
  ] as const)("says %s", async ([, kunz, lines]) => {
    const cwd = await clubFolder();
    const roster = ["player,serial", "Müller,TRK-1", ...(kunz === "" ? [] : [`Kunz,${kunz}`])];
    writeFileSync(join(cwd, "roster.csv"), roster.join("\n"));
    const told = lines.map((line) => `${line}\n`).join("");
    for (const args of [
      ["stats", "."],
      ["stats", ".", "--jobs", "2"],
      ["plot", "."],
      ["squad", "."],
    ]) {
      const tz = args[0] === "squad" ? ["--tz", "Europe/Zurich"] : [];
      rmSync(join(cwd, "periods.csv"), { force: true });
      const { status, stderr } = await asi([...args, ...tz, "--roster", "roster.csv"], { cwd });
      expect([status, stderr]).toEqual([0, told]);
    }
    const season = await asi(["squad", ".", "--by", "player", "--roster", "roster.csv"], { cwd });
    expect([season.status, season.stderr]).toEqual([0, told]);
  });

  it("shows the same figures as text and as JSON", async () => {
    const cwd = await clubFolder();
    const { stdout } = await asi(["stats", ".", ...CLUB], { cwd });
    expect(stdout).toMatch(
      /^1\.asi, Müller\n[\s\S]+\n1\.asi, Müller, Drill\n[\s\S]+2\.asi, Kunz, Drill\n {2}does not take part\n$/,
    );
    expect(stdout).toContain("70 to 80 % of 200 bpm");
    const json = await asi(["stats", "1.asi", ...CLUB, "--json"], { cwd });
    const { player, periods } = JSON.parse(json.stdout);
    expect([player, periods[0].name, periods[0].metrics.total_distance]).toEqual(["Müller", "Drill", 1196]);
  });

  it("changes the thresholds with --sprint and --high-speed, and reports that --zones does not", async () => {
    const cwd = await clubFolder();
    const moved = await asi(["stats", "2.asi", "--sprint", "6m/s", "--high-speed", "18km/h"], { cwd });
    expect(moved.stdout).toMatch(/sprints +1 from 21\.6 km\/h, 3,594 m/);
    expect(moved.stdout).toContain("3,594 m from 18 km/h");
    const zones = await asi(["stats", "2.asi", "--zones", "7,15,20km/h"], { cwd });
    expect(zones.stderr).toBe(
      "--zones does not change the thresholds: high speed from 19.8 km/h, sprints from 25.2 km/h; see --high-speed and --sprint\n",
    );
    const both = ["--zones", "7,15,20km/h", "--sprint", "25km/h", "--high-speed", "20km/h"];
    expect((await asi(["stats", "2.asi", ...both], { cwd })).stderr).toBe("");
  });

  it("names the file and the line of a period that cannot be read", async () => {
    const cwd = await clubFolder();
    writeFileSync(join(cwd, "periods.csv"), "period,start,end\nDrill,soon,14:35\n");
    const { status, stderr } = await asi(["stats", "1.asi", "--periods", "periods.csv"], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain('1.asi: periods.csv, line 2: "soon" is not a time.');
  });

  it("writes the table if the output has a table extension", async () => {
    const cwd = await clubFolder();
    const { status } = await asi(["stats", ".", ...CLUB, "--decimal", ",", "-o", "match.csv"], { cwd });
    const { stdout } = await asi(["stats", ".", ...CLUB, "--decimal", ",", "--format", "csv"], { cwd });
    expect([status, readFileSync(join(cwd, "match.csv"), "utf8").replace(/^\ufeff/, "")]).toEqual([
      0,
      stdout,
    ]);
  });

  it.for([
    [["--decimal", ","], /add --format csv/],
    [["-o", "match.txt"], /name the output .csv, or add --format csv/],
    [["--periods", "periods.csv", "--from", "14:30"], /either --periods, or --from and --to/],
    [["--sprint", "25"], /with its unit/],
  ] as const)("refuses %s", async ([args, message]) => {
    const { status, stderr } = await asi(["stats", "1.asi", ...args], { cwd: await clubFolder() });
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("asi plot", () => {
  it("draws the heart-rate zones and the periods, with the name and the maximum heart rate of the roster", async () => {
    const cwd = await clubFolder();
    expect((await asi(["plot", ".", ...CLUB, "--out-dir", "pictures"], { cwd })).status).toBe(0);
    const [first, second] = ["1", "2"].map((name) =>
      readFileSync(join(cwd, "pictures", `${name}.svg`), "utf8"),
    );
    expect(first).toContain("1.asi, Müller");
    expect(first).toContain("Drill");
    expect(first).toContain("zones for a maximum of 200 bpm");
    expect(second).not.toContain("zones for");
    expect(second).not.toContain("Drill");
  });

  it("draws a line at the limit of each zone within the plot", async () => {
    const folder = scratchFolder();
    const svg = join(folder, "match.svg");
    await asi(["plot", MATCH.path, "-o", svg, "--max-hr", "195"]);
    // the axis is from 80 to 180 bpm, 50 % are 97.5 bpm and 90 % 175.5 bpm
    expect(readFileSync(svg, "utf8").match(/>\d+ %<\/text>/g)).toEqual(
      expect.arrayContaining([50, 60, 70, 80, 90].map((percent) => `>${percent} %</text>`)),
    );
  });
});

describe("asi report", () => {
  it("writes the report of a squad if several recordings and -o are given", async () => {
    const cwd = await clubFolder();
    const tz = ["--tz", "Europe/Zurich"];
    expect((await asi(["report", ".", "-o", "report.html", ...tz], { cwd })).status).toBe(0);
    await asi(["squad", ".", "-o", "squad.html", ...tz], { cwd });
    const [report, squad] = ["report.html", "squad.html"].map((name) =>
      readFileSync(join(cwd, name), "utf8"),
    );
    expect(report).toBe(squad);
    expect(report?.match(/<section class="player-page"/g)).toHaveLength(2);
  });

  it("reports the number of gaps at damaged places of a recording, including a .gz file", async () => {
    const cwd = await clubFolder();
    const [name = ""] = readdirSync(cwd).filter((one) => one.endsWith(".asi"));
    const bytes = readFileSync(join(cwd, name));
    for (const [from, to] of [
      [0.3, 0.32],
      [0.7, 0.71],
    ] as const)
      bytes.fill(0, Math.floor(bytes.length * from), Math.floor(bytes.length * to));
    rmSync(join(cwd, name));
    for (const [file, content] of [
      [name, bytes],
      [`${name}.gz`, gzipSync(bytes)],
    ] as const) {
      writeFileSync(join(cwd, file), content);
      expect((await asi(["report", ".", "-o", "report.html"], { cwd })).status).toBe(3);
      const [sentence] = /damaged, no data [^.<]*/.exec(readFileSync(join(cwd, "report.html"), "utf8")) ?? [];
      expect(sentence).toBe("damaged, no data from 12:32:58 to 12:33:12 and in 1 shorter gap, 96 %");
      for (const written of [file, "report.html"]) rmSync(join(cwd, written));
    }
  });

  it("reports options that do not apply to a squad", async () => {
    const cwd = await clubFolder();
    const { status, stderr } = await asi(["report", ".", "-o", "x.html", "--max-hr", "190"], { cwd });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/does not support --max-hr/)]);
  });
});

describe("asi squad", () => {
  it.each(["roster.csv", "periods.csv"])("refuses a %s of 5 GB", async (name) => {
    const cwd = await clubFolder();
    truncateSync(join(cwd, name), 5e9);
    const { status, stderr } = await asi(["squad", "."], { cwd });
    expect([status, stderr]).toEqual([
      1,
      `asi: ${name}, line 1: The table has more than 10,000 rows, 1,000 columns or 4 MiB. Is it the correct file?\n`,
    ]);
  });

  it("writes the table as Parquet: the same as in JSON lines, with times and nulls", async () => {
    const cwd = await clubFolder();
    await asi(["squad", ".", "--tz", "Europe/Zurich", "-o", "squad.parquet"], { cwd });
    const { buffer, byteOffset, byteLength } = readFileSync(join(cwd, "squad.parquet"));
    const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    const rows = await parquetReadObjects({ file });
    const { stdout } = await asi(["squad", ".", "--tz", "Europe/Zurich", "--format", "jsonl"], { cwd });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const instant = (text: string | null) => (text === null ? null : new Date(text));
    expect(lines).toHaveLength(4);
    expect(lines[3]).toMatchObject({ player: "Kunz", period: "Drill", distance_m: null });
    expect(rows).toEqual(lines.map((row) => ({ ...row, start: instant(row.start), end: instant(row.end) })));
  });

  it("reports which periods are not within the recordings, for example because of another time zone", async () => {
    const { status, stderr } = await asi(["squad", "."], { cwd: await clubFolder() });
    expect([status, stderr]).toEqual([
      0,
      'Periods outside the recordings, which are from 12:30:00 to 12:39:59 (UTC): "Drill" (14:30:00 to 14:35:00). Set the time zone of the periods with --tz\n',
    ]);
  });
});
