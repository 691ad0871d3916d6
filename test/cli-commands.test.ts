import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  asi,
  Fixture,
  MATCH,
  namesIn,
  PLAIN_LOG,
  rowsOf,
  scratchFolder,
  shell,
  TORN,
  textOf,
  WITH_NMEA,
  WITHOUT_ROW,
} from "./asi-process.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";

const json = (stdout: string) => JSON.parse(stdout);

describe("asi info", () => {
  test("shows the header, duration, rows, rates, ranges and the use of every byte", async () => {
    const { status, stdout, stderr } = await asi(["info", MATCH.path]);
    expect([status, stderr]).toEqual([0, ""]);
    const { bytes } = MATCH.expected.report;
    for (const text of [
      /serial +AS-10017/,
      /format version 1, a GNSS epoch every 100 ms/,
      /start +2025-03-15T14:30:00\.000Z/,
      /duration +0:18:59\.900, of which 0:11:59\.800 recorded/,
      /rows +7200, 720 with heart rate/,
      /rates +GNSS 10 Hz, heart rate 1 Hz/,
      /2025-03-15T14:43:00\.000Z to 2025-03-15T14:48:59\.900Z, 3600 rows/,
      new RegExp(`bytes +${bytes.total}, of which\n +${bytes.known} \\(100\\.00%\\) in known frames`),
      /damage +none/,
    ]) {
      expect(stdout).toMatch(text);
    }
  });

  test("shows the rate of the ECG waveform, and the reasons for frames without rows", async () => {
    const { stdout } = await asi(["info", new Fixture("valid/match-ecg").path]);
    expect(stdout).toMatch(/ECG waveform 250 Hz/);
    const reasons = new Fixture("valid/run-fix-loss");
    const { noFixOk, noDateOrTime } = reasons.expected.report.gnssWithoutRow;
    expect(noFixOk + noDateOrTime).toBeGreaterThan(0);
    expect((await asi(["info", reasons.path])).stdout).toMatch(
      noFixOk > 0 ? `${noFixOk} GNSS frame` : `${noDateOrTime} GNSS frame`,
    );
  });

  test("shows the five longest gaps that are too short to end a range", async () => {
    const gaps = async (...seconds: number[]) => {
      const times = seconds.map((second) => 1_700_000_000_000 + second * 1000);
      const input = joined([asiInf(), ...times.map((ms) => navPvt(civilTime(ms)))]);
      const text = (await asi(["info", "-"], { input })).stdout;
      const { gaps } = json((await asi(["info", "-", "--json"], { input })).stdout);
      return { gaps, text: /^ {2}gaps +(.*(?:\n {8}.*)*)/m.exec(text)?.[1] };
    };
    // 1.9 s are a few missing rows, more than 300 s end the range
    expect(await gaps(0, 1.9, 400, 401)).toMatchObject({
      gaps: { count: 0, totalMs: 0, longest: [] },
      text: "no gaps of 2 seconds or more within a range",
    });
    const { gaps: two, text } = await gaps(0, 2, 3, 303);
    expect(two).toEqual({
      count: 2,
      totalMs: 302_000,
      longest: [
        { start: 1_700_000_000_000, stop: 1_700_000_002_000 },
        { start: 1_700_000_003_000, stop: 1_700_000_303_000 },
      ],
    });
    expect(text).toMatch(/^2 gaps of 2 seconds or more within a range, 0:05:02 in total\n/);
    expect(text).toMatch(/2023-11-14T22:13:23\.000Z to 2023-11-14T22:18:23\.000Z, 0:05:00/);
    const many = await gaps(0, 10, 15, 30, 33, 50, 52, 90);
    expect(
      many.gaps.longest.map(({ start, stop }: { start: number; stop: number }) => (stop - start) / 1000),
    ).toEqual([10, 5, 15, 17, 38]);
    expect(many.text).toMatch(/^7 gaps .* 0:01:30 in total; the longest:\n/);
  });

  test("shows only time without any row as a gap if times run backwards", async () => {
    const gapsOf = async (...seconds: number[]) => {
      const input = joined([
        asiInf(),
        ...seconds.map((second) => navPvt(civilTime(1_700_000_000_000 + second * 1000))),
      ]);
      const { gaps } = json((await asi(["info", "-", "--json"], { input })).stdout);
      return gaps.longest.map(({ start, stop }: { start: number; stop: number }) =>
        [start, stop].map((ms) => ms / 1000 - 1_700_000_000),
      );
    };
    // the late rows fill the gap, and the steps to the next rows cover time that contains rows
    expect(await gapsOf(0, 1, 5, 6, 7, 2, 3, 4, 8)).toEqual([]);
    expect(await gapsOf(0, 1, 9, 10, 3, 4, 11)).toEqual([
      [1, 3],
      [4, 9],
    ]);
    expect(await gapsOf(10, 0, 1)).toEqual([[1, 10]]);
  });

  test("--json prints the result of inspect, and exits with 3 for damage and with 0 if there is no row", async () => {
    const torn = await asi(["info", TORN.path, "--json"]);
    expect(torn.status).toBe(3);
    expect(json(torn.stdout)).toMatchObject({
      input: TORN.path,
      report: TORN.expected.report,
      fileName: TORN.expected.fileName,
    });
    const empty = await asi(["info", WITHOUT_ROW.path, "--json"]);
    expect(empty.status).toBe(0);
    expect(json(empty.stdout)).toMatchObject({ fileName: null, recordedMs: 0, rates: { gnssHz: null } });
  });

  test("reads a plain log when the serial number is given", async () => {
    const { status, stdout } = await asi(["info", PLAIN_LOG.path, "--serial", "UBX7-0002", "--json"]);
    expect(status).toBe(0);
    expect(json(stdout).report).toEqual(PLAIN_LOG.expected.report);
  });
});

describe("asi ranges", () => {
  test("prints a line per range, which begins with the name if there are several inputs", async () => {
    const ranges = [
      "2025-03-15T14:30:00.000Z\t2025-03-15T14:35:59.900Z\t3600",
      "2025-03-15T14:43:00.000Z\t2025-03-15T14:48:59.900Z\t3600",
    ];
    expect((await asi(["ranges", MATCH.path])).stdout).toBe(`${ranges.join("\n")}\n`);
    const both = await asi(["ranges", MATCH.path, TORN.path]);
    expect(both.status).toBe(3);
    expect(both.stdout.split("\n").slice(0, 2)).toEqual(ranges.map((line) => `${MATCH.path}\t${line}`));
  });

  test("--json prints the ranges of the report", async () => {
    const { stdout } = await asi(["ranges", MATCH.path, "--json"]);
    expect(json(stdout)).toEqual({ input: MATCH.path, ranges: MATCH.expected.report.ranges });
  });
});

describe("asi validate", () => {
  test("exits with 0 for an undamaged recording, 3 for a damaged one, 1 for any other file", async () => {
    const whole = await asi(["validate", MATCH.path]);
    expect(whole).toMatchObject({ status: 0, stdout: `${MATCH.path}: whole, 7200 rows\n`, stderr: "" });
    const foreign = await asi(["validate", WITH_NMEA.path]);
    expect(foreign.status).toBe(0);
    expect(foreign.stdout).toMatch(/: whole, 60 rows, 9459 foreign bytes skipped\n$/);
    const text = await asi(["validate", new Fixture("damaged/text").path]);
    expect(text).toMatchObject({ status: 1, stdout: "" });
    const all = await asi(["validate", MATCH.path, TORN.path]);
    expect(all.status).toBe(3);
    expect(all.stdout.trimEnd().split("\n")).toHaveLength(2);
  });

  test.for<[kind: string, damaged: Uint8Array]>([
    ["badChecksums", MATCH.bytes.map((byte, at) => (at === 170 ? byte ^ 1 : byte))],
    ["overlong", Buffer.concat([MATCH.bytes, Buffer.of(0xb5, 0x62, 0x01, 0x07, 0xff, 0xff)])],
    ["overruns", MATCH.bytes.subarray(0, -1)],
  ])("exits with 3 for the least damage of each kind: %s", async ([kind, damaged]) => {
    const { status, stdout } = await asi(["validate", "-", "--json"], { input: damaged });
    expect(json(stdout)).toMatchObject({ isWhole: false, report: { damage: { [kind]: 1 } } });
    expect(status).toBe(3);
  });

  test("reports the place of the first damage, in a file and in a pipe", async () => {
    const { bytes } = MATCH;
    // after a header of 72 bytes, the checksum of the GNSS frame of 100 bytes is at 170
    bytes[170] = (bytes[170] ?? 0) ^ 1;
    const folder = scratchFolder();
    writeFileSync(join(folder, "flipped.asi"), bytes);
    const fromFile = await asi(["validate", "flipped.asi", "--json"], { cwd: folder });
    expect(fromFile.status).toBe(3);
    expect(json(fromFile.stdout)).toMatchObject({
      isWhole: false,
      report: { firstDamage: { byteOffset: 72, kind: "badChecksums", afterMs: null } },
    });
    const fromPipe = await shell("cat flipped.asi | $ASI validate -", folder);
    expect(fromPipe.stdout).toMatch(
      /^standard input: damaged, first at byte 72 \(bad checksum\): 1 bad checksum, /,
    );
    // the last byte is missing, so the last frame, a GNSS frame of 100 bytes, is truncated
    const cut = await asi(["validate", "-"], { input: MATCH.bytes.subarray(0, -1) });
    expect(cut.stdout).toContain(`first at byte ${MATCH.bytes.length - 100} (overrun)`);
  });
});

describe("asi repair", () => {
  test("writes a clean recording with the same CSV beside the input", async () => {
    const folder = scratchFolder();
    const path = TORN.copyTo(folder, "torn.asi");
    const repaired = await asi(["repair", path]);
    expect(repaired.status).toBe(3);
    expect(namesIn(folder)).toEqual(["torn.asi", "torn.repaired.asi"]);
    expect(readFileSync(path).equals(TORN.bytes)).toBe(true);
    const clean = join(folder, "torn.repaired.asi");
    const { report } = json((await asi(["validate", clean, "--json"])).stdout);
    expect(report.bytes).toEqual({ total: 18372, known: 18372, unknown: 0, skipped: 0 });
    expect((await asi(["validate", clean])).status).toBe(0);
    expect((await asi(["convert", clean, "-o", "-"])).stdout).toBe(TORN.csv);
    // a second run does not overwrite, and ignores the files of the first run
    const again = await asi(["repair", folder]);
    expect(again.status).toBe(1);
    expect(again.stderr).toMatch(/torn\.repaired\.asi already exists/);
    expect((await asi(["repair", folder, "--force"])).status).toBe(3);
    expect(namesIn(folder)).toEqual(["torn.asi", "torn.repaired.asi"]);
  });

  test("reports a folder that contains only repaired recordings", async () => {
    const folder = scratchFolder();
    TORN.copyTo(folder, "torn.repaired.asi");
    const { status, stderr } = await asi(["repair", folder]);
    expect(status).toBe(1);
    expect(stderr).toBe(
      `asi: ${folder}: This folder contains only repaired recordings; name a file to repair it again. (NO_INPUT)\n`,
    );
    expect(namesIn(folder)).toEqual(["torn.repaired.asi"]);
  });

  test("changes nothing in an undamaged recording", async () => {
    const folder = scratchFolder();
    const { status, stdout } = await asi(["repair", MATCH.path, "-o", "same.asi", "--json"], { cwd: folder });
    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      files: [{ path: "same.asi", bytes: MATCH.bytes.length }],
      report: MATCH.expected.report,
    });
    expect(readFileSync(join(folder, "same.asi")).equals(MATCH.bytes)).toBe(true);
  });

  test("makes a recording from a plain log with --serial, through pipes", async () => {
    const folder = scratchFolder();
    const { status } = await shell(
      `cat ${PLAIN_LOG.path} | $ASI repair - --serial UBX7-0002 -o - | $ASI convert - -d .`,
      folder,
    );
    expect(status).toBe(0);
    expect(textOf(folder, PLAIN_LOG.expected.fileName)).toBe(PLAIN_LOG.csv);
  });
});

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
