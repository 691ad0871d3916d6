import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import FitParser from "fit-file-parser";
import { describe, expect, it } from "vitest";
import type { Metrics } from "../src/metrics/index.js";
import { type EncodableRow, encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

const START_MS = Date.UTC(2026, 4, 16, 12, 30);

interface Odd {
  name: string;
  rows: readonly EncodableRow[];
  /** Modifies the recording. */
  harm?: (bytes: Uint8Array) => Uint8Array;
  /** Expected messages on the standard error or in the text. */
  told?: readonly string[];
  /** The first row that `asi squad` includes, if it excludes others, which it says. */
  squadFrom?: string;
  /** The reason why totals of laps differ from the figures (docs/formats.md). */
  laps?: "have all rows";
}

/** Times in seconds from 0: `count` steps of `step`. */
const times = (count: number, step: number, from = 0) =>
  Array.from({ length: count + 1 }, (_, i) => Math.round((from + i * step) * 1000) / 1000);

type Course = (second: number) => number;

const inTurns: Course = (s) => (Math.floor(s / 20) % 2 === 0 ? 3 : 5);

function rowsAt(
  seconds: readonly number[],
  { speed = inTurns, hr = (s: number) => 140 + (s % 20) }: { speed?: Course; hr?: Course } = {},
): EncodableRow[] {
  return seconds.map((s) => ({
    timestamp: START_MS + s * 1000,
    latitude: 46.9629,
    longitude: 7.4648,
    altitude: 500,
    speed: speed(s),
    hr: Number.isInteger(s) ? hr(s) || null : null,
  }));
}

const TEN_HZ = times(1200, 0.1);

const ODD: readonly Odd[] = [
  { name: "ten rows a second, then one", rows: rowsAt([...TEN_HZ, ...times(120, 1, 121)]) },
  {
    name: "one row a second, then ten, then one in 3 s",
    rows: rowsAt([...times(99, 1), ...times(999, 0.1, 100), ...times(99, 3, 200)]),
  },
  {
    name: "ten rows a second, then a little more than 1 s between two",
    rows: rowsAt([...TEN_HZ, ...times(120, 1.013, 121)]),
  },
  { name: "25 rows a second", rows: rowsAt(times(2000, 0.04)) },
  { name: "a row in 5 s", rows: rowsAt(times(200, 5)) },
  {
    name: "gaps of 3, 299 and 301 s",
    rows: rowsAt([
      ...times(600, 0.1),
      ...times(570, 0.1, 63),
      ...times(600, 0.1, 419),
      ...times(600, 0.1, 780),
    ]),
  },
  {
    name: "isolated rows of a lost signal",
    rows: rowsAt([...times(600, 0.1), 100, 180, 290, 400, 520, ...times(600, 0.1, 600)]),
  },
  {
    name: "times that run backwards for 30 s",
    rows: rowsAt([...TEN_HZ, ...times(900, 0.1, 90)]),
    told: ["times run backwards 1 time", "301 rows and 31 heart rates not used"],
  },
  {
    name: "times that run backwards for 10 min",
    rows: rowsAt([...times(9000, 0.1), ...times(1000, 0.1, 300)]),
    told: ["times run backwards 1 time"],
  },
  {
    name: "the same rows twice",
    rows: rowsAt([...TEN_HZ, ...TEN_HZ]),
    told: ["times run backwards 1 time", "1201 rows and 121 heart rates not used"],
  },
  {
    name: "each time twice, with different speeds",
    rows: TEN_HZ.flatMap((s) => rowsAt([s, s])).map((row, i) => ({ ...row, speed: 3 + (i % 2) })),
    told: ["1201 rows"],
  },
  {
    name: "rows of the day before",
    rows: rowsAt([...times(10, 0.1, -86_400), ...TEN_HZ]),
    squadFrom: "2026-05-16",
  },
  { name: "no heart rate", rows: rowsAt(TEN_HZ, { hr: () => 0 }) },
  { name: "heart rates that nobody has", rows: rowsAt(TEN_HZ, { hr: (s) => [250, 20, 140][s % 3] ?? 0 }) },
  { name: "few heart rates", rows: rowsAt(TEN_HZ, { hr: (s) => (s % 30 === 0 ? 120 + s / 3 : 0) }) },
  {
    name: "a minute that is too fast",
    rows: rowsAt(TEN_HZ, { speed: (s) => (s >= 30 && s < 90 ? 20 : 4) }),
    told: ["faster than 45.0 km/h"],
    laps: "have all rows",
  },
  {
    name: "only a drive",
    rows: rowsAt(TEN_HZ, { speed: () => 20 }),
    told: ["faster than 45.0 km/h"],
    laps: "have all rows",
  },
  { name: "standing", rows: rowsAt(TEN_HZ, { speed: () => 0.1 }), laps: "have all rows" },
  { name: "one spike", rows: rowsAt(TEN_HZ, { speed: (s) => (s === 60 ? 11 : 3) }), laps: "have all rows" },
  { name: "one row", rows: rowsAt([0]) },
  { name: "two rows", rows: rowsAt([0, 0.1]) },
  {
    name: "a truncated file",
    rows: rowsAt(TEN_HZ),
    harm: (bytes) => bytes.subarray(0, (bytes.length * 2) / 3 - 17),
    told: ["damaged"],
  },
  {
    name: "a damaged middle",
    rows: rowsAt(TEN_HZ),
    harm: (bytes) => bytes.map((byte, i) => (i > 40_000 && i < 43_000 && i % 7 === 0 ? byte ^ 0x55 : byte)),
    told: ["damaged"],
  },
];

interface Figures {
  distance: number | null;
  seconds: number;
  maxSpeed: number | null;
  meanHr: number | null;
}

const oneDecimal = (value: number | null) => Math.round((value ?? 0) * 10) / 10;

const number = (text: string | undefined) => (text === undefined || text === "" ? null : Number(text));

const figuresOf = (metrics: Metrics): Figures => ({
  distance: metrics.total_distance,
  seconds:
    Math.round(metrics.time_per_speed_ranges.reduce((sum, { duration }) => sum + duration, 0) * 10) / 10,
  maxSpeed: metrics.max_speed,
  meanHr: metrics.hr_avg,
});

describe.each(ODD)("a recording with $name", ({ rows, harm, told = [], squadFrom, laps }) => {
  it("has the same distance, time, maximum speed and mean heart rate in each output, or the output explains the difference", async () => {
    const cwd = scratchFolder();
    const bytes = await wholeBytes(encode(rows, { serial: "ODD-1" }));
    writeFileSync(join(cwd, "odd.asi"), harm?.(bytes) ?? bytes);
    const run = (...args: string[]) => asi([...args, "odd.asi"], { cwd });

    const statsOf = async (...args: string[]) =>
      figuresOf((JSON.parse((await run("stats", "--json", ...args)).stdout) as { metrics: Metrics }).metrics);
    const expected = await statsOf();

    const [csv] = tableOf((await run("stats", "--format", "csv")).stdout);
    expect(number(csv?.distance_m)).toBe(expected.distance);
    expect(number(csv?.recorded_s) ?? 0).toBe(expected.seconds);
    expect(number(csv?.max_speed_m_per_s)).toBe(expected.maxSpeed);
    expect(number(csv?.hr_mean_bpm)).toBe(expected.meanHr);

    const text = await run("stats");
    if (expected.distance !== null)
      expect(text.stdout).toContain(
        `distance          ${Math.round(expected.distance).toLocaleString("en")} m`,
      );
    // rows that are too fast are in the recording, but have no figures
    if (laps === undefined) {
      const { recordedMs } = JSON.parse((await run("info", "--json")).stdout);
      expect(Math.round(recordedMs / 100) / 10).toBe(expected.seconds);
    }
    const table = await run("squad");
    for (const one of told) {
      expect(text.stdout + text.stderr).toContain(one);
      expect(table.stdout + table.stderr).toContain(one);
    }

    if (squadFrom !== undefined) expect(table.stderr).toContain(`only those of ${squadFrom} are included`);
    const ofSquad = squadFrom === undefined ? expected : await statsOf("--from", squadFrom);
    const [squad] = tableOf((await run("squad", "--format", "csv")).stdout);
    const efforts = ["accelerations_2_to_3_m_per_s2", "accelerations_from_3_m_per_s2"].map((key) =>
      number(csv?.[key]),
    );
    expect(number(squad?.accelerations)).toBe(
      efforts.reduce((sum, count) => (sum === null || count === null ? null : sum + count)),
    );
    const [line = "{}"] = (await run("squad", "--format", "jsonl")).stdout.split("\n");
    for (const row of [squad ?? {}, JSON.parse(line)]) {
      const figure = (key: string) => (row[key] === "" || row[key] === null ? null : Number(row[key]));
      expect(figure("distance_m")).toBe(ofSquad.distance);
      expect(60 * (figure("minutes") ?? 0)).toBeCloseTo(ofSquad.seconds, 1);
      expect(figure("top_speed_km_per_h")).toBe(
        ofSquad.maxSpeed === null ? null : Math.round(ofSquad.maxSpeed * 36_000) / 10_000,
      );
      expect(figure("hr_mean_bpm")).toBe(ofSquad.meanHr);
    }
    await run("squad", "-o", "table.xlsx");
    const sheet = strFromU8(
      unzipSync(readFileSync(join(cwd, "table.xlsx")))["xl/worksheets/sheet1.xml"] ?? new Uint8Array(),
    );
    if (ofSquad.distance !== null) expect(sheet).toContain(`<v>${ofSquad.distance}</v>`);

    expect(number((await run("load")).stdout.match(/2026-05-16 +(\S+)/)?.[1]?.replace("-", ""))).toBe(
      expected.distance === null ? null : oneDecimal(expected.distance),
    );

    if (laps === undefined)
      expect(await lapsIn("tcx")).toEqual({
        metres: oneDecimal(expected.distance),
        seconds: expected.seconds,
      });
    expect(await lapsIn("fit")).toEqual(await lapsIn("tcx"));
    // totals are those of the recording, even if few of its rows are written
    for (const every of ["1s", "1min", "1h"]) {
      expect(await lapsIn("tcx", "--every", every), every).toEqual(await lapsIn("tcx"));
      expect(await lapsIn("fit", "--every", every), every).toEqual(await lapsIn("tcx"));
    }

    async function lapsIn(format: "tcx" | "fit", ...options: string[]) {
      await run("convert", "--format", format, "-o", `odd.${format}`, "--force", ...options);
      const file = readFileSync(join(cwd, `odd.${format}`));
      const totals = format === "tcx" ? tcxTotals(file.toString()) : await fitTotals(file);
      const sum = (key: "metres" | "seconds", digits: number) =>
        Number(totals.reduce((all, lap) => all + lap[key], 0).toFixed(digits));
      return { metres: sum("metres", 1), seconds: sum("seconds", 1) };
    }
  });
});

const tcxTotals = (text: string) =>
  [...text.matchAll(/<TotalTimeSeconds>([\d.]+)<\/TotalTimeSeconds><DistanceMeters>([\d.]+)</g)].map(
    ([, seconds, metres]) => ({ seconds: Number(seconds), metres: Number(metres) }),
  );

async function fitTotals(file: Buffer) {
  const { sessions = [] } = await new FitParser({ mode: "list" }).parseAsync(
    file as unknown as ArrayBuffer as never,
  );
  return (sessions as unknown as { total_distance: number; total_timer_time: number }[]).map(
    ({ total_distance, total_timer_time }) => ({ seconds: total_timer_time, metres: total_distance }),
  );
}
