import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeSync } from "../src/index.js";
import {
  accelerationSpeedProfile,
  computeMetrics,
  heartRatePeriods,
  type Metrics,
  metabolicEstimate,
  peakDemands,
  STANDARD_RUNS_CAUTION,
  sessionMaxSpeed,
} from "../src/metrics/index.js";
import { asi, Fixture, MATCH, namesIn, scratchFolder, TORN, WITHOUT_ROW } from "./asi-process.js";
import { tableOf } from "./csv-table.js";

/** Figures for the CSVs of fixtures, computed by a program that shares no code with the library (metrics/golden/independent.py). */
const GOLDENS: Record<
  string,
  { sport: string; params: { max_hr?: number }; figures: Omit<Metrics, "definition"> }
> = JSON.parse(readFileSync(join(import.meta.dirname, "metrics/golden/recordings.json"), "utf8"));

const argumentsOf = ({ sport, params }: { sport: string; params: { max_hr?: number } }) => [
  ...["--sport", sport],
  ...(params.max_hr === undefined ? [] : ["--max-hr", String(params.max_hr)]),
];

describe("optional figures", () => {
  test("appear only if requested, with the keys of the library", async () => {
    const { samples } = decodeSync(readFileSync(MATCH.path));
    const plain = JSON.parse((await asi(["stats", MATCH.path, "--json"])).stdout);
    expect(plain).not.toHaveProperty("figures");
    const { stdout, status } = await asi(["stats", MATCH.path, "--json", "--peaks", "--sport", "running"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).figures).toEqual({
      peak_demands: JSON.parse(JSON.stringify(peakDemands(samples, { preset: "running" }))),
    });
    expect((await asi(["stats", MATCH.path, "--peaks"])).stdout).toMatch(
      /peak demands, high speed from 5.5 m\/s/,
    );
  });

  test("--profile prints the maximum speed, and the profile or the reason why there is none", async () => {
    const { samples } = decodeSync(readFileSync(MATCH.path));
    const { figures } = JSON.parse((await asi(["stats", MATCH.path, "--json", "--profile"])).stdout);
    expect(figures.session_max_speed).toBe(sessionMaxSpeed(samples));
    expect(figures.acceleration_speed).toEqual(
      accelerationSpeedProfile([samples], { maxSpeed: figures.session_max_speed }),
    );
    expect((await asi(["stats", MATCH.path, "--profile"])).stdout).toMatch(
      /maximum speed held for 0\.5 s: .* m\/s\n {2}acceleration-speed profile of these rows: /,
    );
  });

  test("--heart-range selects the rows of heartRatePeriods, also within the periods of a session", async () => {
    const { samples } = decodeSync(readFileSync(MATCH.path));
    const args = ["stats", MATCH.path, "--heart-range", "130-160"];
    const json = JSON.parse((await asi([...args, "--json", "--peaks"])).stdout);
    const periods = heartRatePeriods(samples, 130, 160);
    expect(json.heart_range).toEqual([130, 160]);
    expect(json.metrics).toEqual(JSON.parse(JSON.stringify(computeMetrics(samples, { periods }))));
    expect(json.metrics.total_distance).toBeGreaterThan(0);
    expect(json.figures.peak_demands).toEqual(JSON.parse(JSON.stringify(peakDemands(samples, { periods }))));
    const halves = join(scratchFolder(), "halves.csv");
    writeFileSync(halves, "period,start,end\n1st,14:31,14:33\n2nd,14:34,14:36\n");
    const { periods: parts } = JSON.parse((await asi([...args, "--json", "--periods", halves])).stdout);
    const day = new Date(samples.timestampMs[0] ?? 0).toISOString().slice(0, 10);
    const [startMs = 0, endMs = 0] = ["14:31", "14:33"].map((time) => Date.parse(`${day}T${time}Z`));
    const ofFirst = computeMetrics(samples, { periods, from: startMs, to: endMs - 1 });
    expect(parts[0].metrics.total_distance).toBe(ofFirst.total_distance);
    expect(parts[0].metrics.total_distance).not.toBe(parts[1].metrics.total_distance);
    const { stdout } = await asi(args);
    expect(stdout).toMatch(/^\S+, 130 to 160 bpm\n/);
    expect(stdout).toMatch(/heart rate +mean 1[345]\d/);
  });

  test.each([
    [["--heart-range", "160-130"], "from 30 to 240 bpm"],
    [["--heart-range", "130-160", "--format", "csv"], "use text or --json"],
    [["--heart-range", "130-160", "--hrv"], "--hrv needs successive beats"],
  ])("refuses %j", async (args, message) => {
    const { status, stderr } = await asi(["stats", MATCH.path, ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  test("metabolic power is off by default, and is shown with a caution", async () => {
    const { samples } = decodeSync(readFileSync(MATCH.path));
    const { stdout } = await asi(["stats", MATCH.path, "--json", "--metabolic-power"]);
    expect(JSON.parse(stdout).figures).toEqual({
      metabolic: JSON.parse(JSON.stringify(metabolicEstimate(samples))),
    });
    const text = (await asi(["stats", MATCH.path, "--metabolic-power"])).stdout;
    expect(text).toMatch(
      /metabolic power: .* kJ\/kg[\s\S]*Estimated from speed. In studies, such estimates were 29 % below/,
    );
  });

  test("standard runs are off by default, and labelled as experimental", async () => {
    const cwd = scratchFolder();
    const rows = Array.from(
      { length: 300 },
      (_, i) => `${1717236000 + i},47,8.5,400,3,${i < 290 ? 140 : 146}`,
    );
    writeFileSync(join(cwd, "a.csv"), ["timestamp,latitude,longitude,altitude,speed,hr", ...rows].join("\n"));
    await asi(["encode", "a.csv", "--serial", "A1", "-o", "a.asi"], { cwd });
    const { stdout } = await asi(["stats", "a.asi", "--standard-runs"], { cwd });
    expect(stdout).toMatch(
      /^ {2}standard runs: 1\n {4}2024-06-01.10:00:00\S* {2}0:05:00 {2}3 m\/s, 142 bpm in its last 30 s\n {4}Experimental: /m,
    );
    const json = JSON.parse((await asi(["stats", "a.asi", "--standard-runs", "--json"], { cwd })).stdout);
    expect(json.figures).toEqual({
      standard_runs: {
        runs: [{ start_time: 1717236000000, duration: 300, mean_speed: 3, heart_rate: 142 }],
        caution: STANDARD_RUNS_CAUTION,
        definition: expect.objectContaining({ version: 1 }),
      },
    });
    expect((await asi(["stats", MATCH.path, "--standard-runs"])).stdout).toContain("standard runs: none, ");
  });

  test("are not part of the table of --format csv", async () => {
    const { status, stderr } = await asi(["stats", MATCH.path, "--peaks", "--format", "csv"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/use text or --json/);
  });
});

describe("asi stats", () => {
  test.for(Object.entries(GOLDENS))(
    "matches the figures of an independent program: %s",
    async ([name, golden]) => {
      const { path, expected } = new Fixture(`valid/${name}`);
      const { status, stdout, stderr } = await asi(["stats", path, "--json", ...argumentsOf(golden)]);
      expect([status, stderr]).toEqual([0, ""]);
      const { input, info, report, metrics } = JSON.parse(stdout);
      expect([input, info.serial, report]).toEqual([path, expected.serial, expected.report]);
      const { definition, ...figures } = metrics;
      expect(figures).toEqual(golden.figures);
      expect(definition).toMatchObject({ version: 5, parameters: golden.params });
    },
  );

  test("shows the figures in m, km/h and percent", async () => {
    const { stdout } = await asi(["stats", MATCH.path, "--max-hr", "195"]);
    const { figures } = GOLDENS["match-hr"] ?? {};
    const distances = figures?.distance_per_speed_ranges.map(({ distance }) => Math.round(distance));
    for (const text of [
      /serial +AS-10017/,
      /start +2025-03-15T14:30:00\.000Z/,
      /duration +0:18:59\.900, of which 0:11:59\.800 recorded/,
      /distance +1,852 m/,
      /maximum speed +7\.45 m\/s \(26\.8 km\/h\)/,
      `speed zones       0 to 7.2 km/h     ${distances?.[0]} m`.replace(/ {2,}/g, " +"),
      `from 25.2 km/h +${distances?.[4]} m`,
      // the ratio is 0.3815; 38.15 as a double is below the half
      /7\.2 to 14\.4 km\/h .* 38\.2 %/,
      `sprints +${figures?.sprint.threshold_1.values.length} from 25.2 km/h, 191 m, the longest 38 m`,
      `accelerations +${figures?.accelerations.threshold_1.values.length} with a peak of 2 to 3 m/s2`,
      /heart rate +mean 146\.2 bpm, 96 to 171 bpm/,
      /70 to 80 % of 195 bpm +136\.5 to 156 bpm +64\.0 %/,
    ]) {
      expect(stdout).toMatch(new RegExp(text));
    }
    expect((await asi(["stats", MATCH.path])).stdout).toMatch(/heart-rate zones +need --max-hr/);
  });

  test("writes one table for several files: one row per file, in order, with the same numbers", async () => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, 'a "first", match.asi');
    new Fixture("valid/match-ecg").copyTo(folder, "b.asi");
    TORN.copyTo(folder, "c.asi");
    WITHOUT_ROW.copyTo(folder, "d.asi");
    writeFileSync(join(folder, "e.fit"), readFileSync("fixtures/valid/edges.fit").subarray(0, -200));
    const { status, stdout, stderr } = await asi(["stats", ".", "e.fit", "--format", "csv"], { cwd: folder });
    expect(namesIn(folder)).toHaveLength(5);
    expect(stdout).toContain('"a ""first"", match.asi",AS-10017,no,2025-03-15T14:30:00.000Z,');
    const rows = tableOf(stdout);
    expect(rows.map(({ input, damaged }) => [input, damaged])).toEqual([
      ['a "first", match.asi', "no"],
      ["b.asi", "no"],
      ["c.asi", "yes"],
      ["e.fit", "yes"],
    ]);
    const { figures } = GOLDENS["match-hr"] ?? {};
    expect(rows[0]).toMatchObject({
      recorded_s: "719.8",
      distance_m: String(figures?.total_distance),
      max_speed_m_per_s: String(figures?.max_speed),
      distance_2_to_4_m_per_s_m: String(figures?.distance_per_speed_ranges[1]?.distance),
      time_from_7_m_per_s_s: String(figures?.time_per_speed_ranges[4]?.duration),
      accelerations_from_3_m_per_s2: String(figures?.accelerations.threshold_2.values.length),
      hr_mean_bpm: String(figures?.hr_avg),
    });
    // the others continue, and the most severe status is returned
    expect(status).toBe(1);
    expect(stderr).toMatch(/c\.asi: damaged: 8 bad checksums/);
    expect(stderr).toMatch(/asi: d\.asi: The recording has no rows.*\(NO_SAMPLES\)/);
  });

  test("reads several files concurrently in threads, with the same results in the same order", async () => {
    const folder = scratchFolder();
    for (const name of ["a.asi", "d.asi", "e.asi"]) MATCH.copyTo(folder, name);
    new Fixture("valid/match-ecg").copyTo(folder, "b.asi");
    WITHOUT_ROW.copyTo(folder, "c.asi");
    TORN.copyTo(folder, "f.asi");
    for (const flags of [
      ["--json"],
      ["--format", "csv", "--max-hr", "190"],
      ["--from", "14:35", "--tz", "UTC"],
    ]) {
      const [one, three] = await Promise.all(
        ["1", "3"].map((jobs) => asi(["stats", ".", ...flags, "--jobs", jobs], { cwd: folder })),
      );
      expect(three).toEqual(one);
      expect(three?.status).toBe(1);
    }
  });

  test("writes file names that are like formulas as text, even where lists are separated by semicolons", async () => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, "=HYPERLINK(1).asi");
    MATCH.copyTo(folder, "a;=1+1;b.asi");
    const { stdout } = await asi(["stats", "=HYPERLINK(1).asi", "a;=1+1;b.asi", "--format", "csv"], {
      cwd: folder,
    });
    expect(stdout).not.toMatch(/(^|[,;])"?=/m);
    expect(stdout).toContain("'=HYPERLINK(1).asi");
    expect(stdout).toContain("a;'=1+1;b.asi");
  });

  test("exits with status 3 for a damaged recording, including with JSON", async () => {
    const { status, stdout } = await asi(["stats", TORN.path, "--json"]);
    expect(status).toBe(3);
    expect(JSON.parse(stdout).report.damage).toEqual(TORN.expected.report.damage);
  });

  test("counts zones with the given limits and unit", async () => {
    const { stdout } = await asi(["stats", MATCH.path, "--zones", "7, 15,20,25 km/h", "--format", "csv"]);
    const fifa = await asi(["stats", MATCH.path, "--sport", "soccer-fifa", "--json"]);
    const { distance_per_speed_ranges } = JSON.parse(fifa.stdout).metrics;
    expect(tableOf(stdout)[0]).toMatchObject({
      distance_7_to_15_km_per_h_m: String(distance_per_speed_ranges[1].distance),
      distance_from_25_km_per_h_m: String(distance_per_speed_ranges[4].distance),
    });
  });

  test.for([
    ["football", "soccer"],
    ["football-women", "soccer-women"],
    ["Cycling", "biking"],
    ["trail-running", "trailrunning"],
  ])("--sport %s is %s", async ([name, preset]) => {
    const [given, expected] = await Promise.all(
      [name, preset].map((sport = "") => asi(["stats", MATCH.path, "--sport", sport, "--json"])),
    );
    expect(given).toEqual(expected);
  });

  test("reports how many rows are too fast for the sport, in text and in CSV", async () => {
    const folder = scratchFolder();
    const row = (i: number) => `${1717236000 + i},47.${1000 + i},8.5,400,${i < 30 ? 5 : 20},`;
    const rows = Array.from({ length: 60 }, (_, i) => row(i));
    writeFileSync(
      join(folder, "drive.csv"),
      ["timestamp,latitude,longitude,altitude,speed,hr", ...rows].join("\n"),
    );
    await asi(["encode", "drive.csv", "--serial", "A1", "-o", "drive.asi"], { cwd: folder });
    const text = await asi(["stats", "drive.asi"], { cwd: folder });
    expect(text.stdout).toContain(
      "30 rows (30.0 s) faster than 45.0 km/h. Is the sport correct? See --sport.",
    );
    const csv = await asi(["stats", "drive.asi", "--format", "csv"], { cwd: folder });
    expect(tableOf(csv.stdout)).toMatchObject([{ too_fast_rows: "30", too_fast_s: "30" }]);
    expect(tableOf(csv.stdout)[0]).toMatchObject({ accelerations_from_3_m_per_s2: "" });
    const ride = await asi(["stats", "drive.asi", "--sport", "cycling"], { cwd: folder });
    expect(ride.stdout).not.toContain("Is the sport correct?");
  });

  test("reports how often times run backwards, and which rows and heart rates do not count", async () => {
    const backwards = "fixtures/damaged/backwards-in-time.asi";
    const told = "times run backwards 5 times; figures and totals count each time once";
    const repeated = "3 rows not used: another row with the same time is used";
    for (const command of ["stats", "plot", "load", "squad"]) {
      const { stderr } = await asi([command, backwards]);
      expect(stderr, command).toContain(`${backwards}: ${told}\n${backwards}: ${repeated}\n`);
    }
    for (const command of ["info", "validate"])
      expect((await asi([command, backwards])).stdout, command).toContain(told);
    expect((await asi(["convert", backwards, "-o", "-"])).stderr).toContain(`${backwards}: ${told}\n`);
    const json = JSON.parse((await asi(["stats", backwards, "--json"])).stdout);
    expect(json).toMatchObject({ report: { rows: { backwards: 5 } }, repeated: { samples: 3 } });
    const edges = await asi(["stats", "fixtures/damaged/hr-join-edges.asi"]);
    expect(edges.stderr).toContain(
      "1 heart-rate reading not used: another reading with the same time is used\n",
    );
    const whole = await asi(["stats", "fixtures/valid/match-hr.asi", "--json"]);
    expect(JSON.parse(whole.stdout)).not.toHaveProperty("repeated");
  });

  test("shows the same distance as laps and squad tables for a recording with two sampling rates", async () => {
    const cwd = scratchFolder();
    // 100 s at 10 Hz, then 300 s with steps of 1 and 2 s
    const fast = Array.from({ length: 1000 }, (_, i) => i / 10);
    const slow = Array.from({ length: 200 }, (_, i) => 101 + Math.floor(i / 2) * 3 + (i % 2));
    const lines = [...fast, ...slow].map((s) => `${(1717236000 + s).toFixed(1)},47,8.5,400,3,`);
    writeFileSync(
      join(cwd, "two.csv"),
      ["timestamp,latitude,longitude,altitude,speed,hr", ...lines].join("\n"),
    );
    await asi(["encode", "two.csv", "--serial", "A1", "-o", "two.asi"], { cwd });
    const outputOf = async (...args: string[]) => (await asi(args, { cwd })).stdout;
    const [row] = tableOf(await outputOf("stats", "two.asi", "--format", "csv"));
    expect(row).toMatchObject({ distance_m: "1197", recorded_s: "399" });
    expect(await outputOf("convert", "two.asi", "--format", "tcx", "-o", "-")).toContain(
      "<TotalTimeSeconds>399.000</TotalTimeSeconds><DistanceMeters>1197.000</DistanceMeters>",
    );
    expect(tableOf(await outputOf("squad", "two.asi", "--format", "csv"))[0]).toMatchObject({
      distance_m: "1197",
    });
  });

  test("uses the heart rates selected by --hr", async () => {
    const { path, bytes } = new Fixture("valid/match-ecg");
    const means = await Promise.all(
      (["device", "ecg"] as const).map(async (hr) => {
        const { stdout } = await asi(["stats", path, "--json", "--hr", hr]);
        const { samples } = decodeSync(new Uint8Array(bytes), { hr });
        const { metrics } = JSON.parse(stdout);
        expect(metrics).toEqual(computeMetrics(samples));
        return metrics.hr_avg;
      }),
    );
    expect(new Set(means).size).toBe(2);
  });

  test("limits the rows by time, in the zone of --tz; slices begin at --from", async () => {
    const { stdout } = await asi([
      ...["stats", MATCH.path, "--json", "--tz", "Europe/Zurich"],
      ...["--from", "15:31", "--to", "15:33:30"],
    ]);
    const { first_timestamp, last_timestamp, intensity } = JSON.parse(stdout).metrics;
    const [from, to] = [Date.parse("2025-03-15T14:31:00Z"), Date.parse("2025-03-15T14:33:30Z")];
    expect([first_timestamp, last_timestamp]).toEqual([from, to]);
    expect(intensity).toMatchObject({ start_time: from, end_time: to, span: 60 });
    expect(intensity.distance).toHaveLength(3);
    const late = await asi(["stats", MATCH.path, "--from", "2026-01-01"]);
    expect(late.stderr).toMatch(/The recording runs from 2025-03-15T14:30.*no row is within --from\/--to/);
  });

  test.for([
    [["--zones", "7,15,20,25"], /limits between the zones and their unit, km\/h or m\/s/],
    [["--zones", "km/h"], /limits between the zones/],
    [["--zones", "7,,9m/s"], /limits between the zones/],
    [["--zones", "4,2m/s"], /--zones: The values must be in ascending order/],
    [["--zones", "60km/h"], /--zones: .*below max_valid_speed/],
    [["--sport", "chess"], /--sport is "chess"\. Use one of biking, running, soccer,.* football/],
    [["--sport", "toString"], /Use one of biking/],
    [["--max-hr", "300"], /whole number from 60 to 240/],
    [["--json", "--format", "csv"], /either --json or --format/],
    [["--from", "2025-01-02", "--to", "2025-01-01"], /from/],
  ] as const)("refuses %j before it reads a file", async ([flags, message]) => {
    const { status, stdout, stderr } = await asi(["stats", MATCH.path, ...flags]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});
