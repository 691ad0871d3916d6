import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asi, MATCH, namesIn, rowsOf, scratchFolder, shell } from "./asi-process.js";

const json = (stdout: string) => JSON.parse(stdout);

describe("asi encode", () => {
  test("creates a recording with the same rows from a CSV, named after its serial number", async () => {
    const folder = scratchFolder();
    const name = MATCH.expected.fileName;
    writeFileSync(join(folder, name), MATCH.csv);
    expect((await asi(["encode", name], { cwd: folder })).status).toBe(0);
    const made = name.replace(".csv", ".asi");
    expect(namesIn(folder)).toEqual([made, name].sort());
    const info = json((await asi(["info", made, "--json"], { cwd: folder })).stdout).info;
    expect(info).toMatchObject({ serial: "AS-10017", periodMs: 100 });
    expect((await asi(["convert", made, "-o", "-"], { cwd: folder })).stdout).toBe(MATCH.csv);
    expect((await asi(["encode", name], { cwd: folder })).status).toBe(1);
  });

  test("reads the standard input, other delimiters and columns, and writes the given header", async () => {
    const folder = scratchFolder();
    const csv =
      "hr;speed;longitude;latitude;note;timestamp\n80;1.5;7.25;46.5;x;1700000000.000\n;2;7.5;46.75;;1700000001.000\n";
    const { status } = await asi(
      [
        "encode",
        "-",
        "--serial",
        "S-1",
        "--delimiter",
        ";",
        "--device-name",
        "Vest",
        "--device-type",
        "T1",
        "--firmware",
        "3.0",
        "--period",
        "1000",
      ],
      { cwd: folder, input: Buffer.from(csv) },
    );
    expect(status).toBe(0);
    const { stdout } = await asi(["info", "S-1.asi", "--json"], { cwd: folder });
    expect(json(stdout).info).toEqual({
      serial: "S-1",
      deviceName: "Vest",
      deviceType: "T1",
      firmwareVersion: "3.0",
      periodMs: 1000,
      formatVersion: 1,
    });
    expect(rowsOf((await asi(["convert", "S-1.asi", "-o", "-"], { cwd: folder })).stdout)).toEqual([
      ["1700000000.000", "46.5000000", "7.2500000", "", "1.500", "80"],
      ["1700000001.000", "46.7500000", "7.5000000", "", "2.000", ""],
    ]);
  });

  test("reports the line of a CSV that cannot be read, and leaves no file", async () => {
    const folder = scratchFolder();
    const csv = "timestamp,latitude,longitude,speed\n1,2,3,4\n1,2,north,4\n";
    const { status, stdout } = await asi(["encode", "-", "--serial", "X", "--json"], {
      cwd: folder,
      input: Buffer.from(csv),
    });
    expect(status).toBe(1);
    expect(json(stdout)).toMatchObject({ input: "-", error: { code: "BAD_CSV", line: 3 } });
    expect(namesIn(folder)).toEqual([]);
  });
});

describe("asi encode of tracks of other devices", () => {
  const point = (second: number, inside = "") =>
    `<trkpt lat="46.5" lon="${7 + second / 10_000}"><time>2024-05-11T09:30:${String(second).padStart(2, "0")}Z</time>${inside}</trkpt>`;
  const gpx = `<?xml version="1.0"?>\n<gpx version="1.1"><trk><trkseg>
    ${point(0, "<extensions><x:hr>80</x:hr><x:speed>1.5</x:speed></extensions>")}${point(1)}<trkpt lat="1" lon="2"/>
  </trkseg></trk></gpx>`;

  test("detects a GPX file by its content, and reports omitted points", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "morning.gpx"), gpx);
    const made = await asi(["encode", "morning.gpx", "--serial", "W-1"], { cwd: folder });
    expect(made.status).toBe(0);
    expect(made.stderr).toMatch(
      /morning.gpx: 2 rows of a GPX file, 1 speeds computed from positions, 1 points without a time omitted/,
    );
    expect(rowsOf((await asi(["convert", "morning.asi", "-o", "-"], { cwd: folder })).stdout)).toEqual([
      ["1715419800.000", "46.5000000", "7.0000000", "", "1.500", "80"],
      ["1715419801.000", "46.5000000", "7.0001000", "", "7.654", ""],
    ]);
  });

  test("reads the standard input under any name, and prints the summary as JSON", async () => {
    const folder = scratchFolder();
    const { status, stdout } = await asi(["encode", "-", "--serial", "W-1", "--json"], {
      cwd: folder,
      input: Buffer.from(gpx),
    });
    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      files: [{ path: "W-1.asi" }],
      track: {
        format: "gpx",
        rows: 2,
        speedsFromPositions: 1,
        leftOut: { withoutTime: 1, withoutPosition: 0, intervals: 0 },
      },
    });
  });

  test("reads a truncated FIT file up to the damage, and reports it like the damage of a recording", async () => {
    const folder = scratchFolder();
    const whole = readFileSync("fixtures/valid/edges.fit");
    writeFileSync(join(folder, "ride.fit"), whole.subarray(0, whole.length - 200));
    const made = await asi(["encode", "ride.fit", "--serial", "W-1"], { cwd: folder });
    expect(made.status).toBe(3);
    expect(made.stderr).toMatch(
      new RegExp(
        `^ride.fit: damaged: the file is truncated, at byte ${whole.length - 200}; only the rows before it are read$`,
        "m",
      ),
    );
    const rows = rowsOf((await asi(["convert", "ride.asi", "-o", "-"], { cwd: folder })).stdout);
    expect(rows.length).toBeGreaterThan(2);
    // the whole file has the same beginning
    await asi(["encode", "-", "--serial", "W-1", "-o", "whole.asi"], { cwd: folder, input: whole });
    const all = rowsOf((await asi(["convert", "whole.asi", "-o", "-"], { cwd: folder })).stdout);
    expect(rows).toEqual(all.slice(0, rows.length));
    expect(all.length).toBeGreaterThan(rows.length);
  });

  test.each([
    ["BAD_TRACK", gpx.replace("46.5", "north"), { line: 3 }],
    ["NO_SAMPLES", "<gpx></gpx>", {}],
  ])("%s leaves nothing", async (code, track, place) => {
    const folder = scratchFolder();
    const { status, stdout } = await asi(["encode", "-", "--serial", "X", "--json"], {
      cwd: folder,
      input: Buffer.from(track),
    });
    expect(status).toBe(1);
    expect(json(stdout)).toMatchObject({ input: "-", error: { code, ...place } });
    expect(namesIn(folder)).toEqual([]);
  });
});

describe("asi encode --demo", () => {
  const demo = (...args: string[]) =>
    shell(`$ASI encode --demo ${args.join(" ")} -o - | $ASI convert - -o -`, "/");

  test("writes 10 rows per second from --start, with a heart rate every second, for the device of --serial", async () => {
    const folder = scratchFolder();
    const { status } = await asi(
      ["encode", "--demo", "--serial", "D-7", "--start", "2024-02-29T23:59:00Z", "--duration", "2min"],
      { cwd: folder },
    );
    expect(status).toBe(0);
    expect(namesIn(folder)).toEqual(["D-7_20240229T235900_20240301T000100.asi"]);
    const rows = rowsOf((await asi(["convert", folder, "-o", "-"])).stdout);
    expect(rows).toHaveLength(1201);
    expect(rows.map(([timestamp]) => timestamp)).toEqual(
      rows.map((_, i) => ((Date.UTC(2024, 1, 29, 23, 59) + i * 100) / 1000).toFixed(3)),
    );
    expect(rows.flatMap(([, , , , , hr], i) => (hr === "" ? [] : [i]))).toEqual(
      Array.from({ length: 121 }, (_, i) => i * 10),
    );
  });

  test("writes the same bytes for the same seed, and different bytes for a different seed", async () => {
    const one = await demo("--seed 5 --duration 1min");
    expect(one.stdout.length).toBeGreaterThan(30_000);
    expect(await demo("--seed 5 --duration 1min")).toEqual(one);
    expect((await demo("--seed 6 --duration 1min")).stdout).not.toBe(one.stdout);
  });

  test("is plausible: on a pitch, with the speeds and heart rates of a player, in two halves", async () => {
    const { stdout } = await demo("--seed 3 --duration 105min");
    const rows = rowsOf(stdout).map((fields) => fields.map(Number));
    const column = (i: number) => rows.map((fields) => fields[i] ?? Number.NaN);
    const extent = (values: number[]) =>
      values.reduce((max, v) => Math.max(max, v), -Infinity) -
      values.reduce((min, v) => Math.min(min, v), Infinity);
    const METRES = 111_195;
    expect(extent(column(1)) * METRES).toBeLessThan(80);
    expect(extent(column(2)) * METRES * Math.cos((47 * Math.PI) / 180)).toBeLessThan(120);
    expect(extent(column(3))).toBeLessThan(20);
    const speeds = column(4);
    expect(Math.max(...speeds.slice(0, 30_000))).toBeLessThan(10);
    expect(Math.max(...speeds.slice(0, 30_000))).toBeGreaterThan(5.5);
    const metres = speeds.reduce((sum, speed) => sum + speed / 10, 0);
    expect(metres).toBeGreaterThan(7_000);
    expect(metres).toBeLessThan(14_000);
    const rates = column(5).filter((hr) => hr > 0);
    expect(rates.reduce((min, hr) => Math.min(min, hr), 300)).toBeGreaterThan(60);
    expect(rates.reduce((max, hr) => Math.max(max, hr), 0)).toBeLessThan(206);
    // the distance between rows matches the speed
    const step = (i: number) =>
      Math.hypot(
        (column1[i + 100] ?? 0) - (column1[i] ?? 0),
        ((column2[i + 100] ?? 0) - (column2[i] ?? 0)) * Math.cos((47 * Math.PI) / 180),
      ) * METRES;
    const column1 = column(1);
    const column2 = column(2);
    for (let i = 0; i < 30_000; i += 100) {
      const way = speeds.slice(i, i + 100).reduce((sum, speed) => sum + speed / 10, 0);
      expect(step(i)).toBeLessThan(way + 1);
    }
    const gaps = column(0).filter((seconds, i, all) => i > 0 && seconds - (all[i - 1] ?? 0) > 300);
    expect(gaps).toHaveLength(1);
  });
});
