import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  asi,
  Fixture,
  MATCH,
  namesIn,
  PLAIN_LOG,
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
  test("shows the header, duration, rows, rates and ranges, and accounts for every byte", async () => {
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
    const { stdout: told } = await asi(["info", reasons.path]);
    expect(told).toMatch(noFixOk > 0 ? `${noFixOk} GNSS frame` : `${noDateOrTime} GNSS frame`);
    // the time without a fix is a gap, as for the figures
    expect(told).toMatch(/rates +GNSS 1 Hz/);
    const duration = / {2}duration .*/.exec(told)?.[0];
    expect((await asi(["stats", reasons.path])).stdout).toContain(duration?.replace(/^ +duration +/, ""));
  });

  test("shows the five longest gaps that are too short to end a range", async () => {
    const gaps = async (...seconds: number[]) => {
      const times = seconds.map((second) => 1_700_000_000_000 + second * 1000);
      const input = joined([asiInf(), ...times.map((ms) => navPvt(civilTime(ms)))]);
      const text = (await asi(["info", "-"], { input })).stdout;
      const { gaps } = json((await asi(["info", "-", "--json"], { input })).stdout);
      return { gaps, text: /^ {2}gaps +(.*(?:\n {8}.*)*)/m.exec(text)?.[1] };
    };
    // a missing row each, as at 1 Hz; more than 300 s end the range
    expect(await gaps(0, 1, 3, 4, 6, 400, 401)).toMatchObject({
      gaps: { count: 0, totalMs: 0, longest: [] },
      text: "no gaps within a range",
    });
    const { gaps: two, text } = await gaps(0, 1, 2, 8, 9, 10, 310);
    expect(two).toEqual({
      count: 2,
      totalMs: 306_000,
      longest: [
        { start: 1_700_000_002_000, stop: 1_700_000_008_000 },
        { start: 1_700_000_010_000, stop: 1_700_000_310_000 },
      ],
    });
    expect(text).toMatch(/^2 gaps within a range, 0:05:06 in total\n/);
    expect(text).toMatch(/2023-11-14T22:13:30\.000Z to 2023-11-14T22:18:30\.000Z, 0:05:00/);
    const many = await gaps(...[0, 20, 36, 62, 80, 112, 120].flatMap((s) => [s, s + 1, s + 2]));
    expect(
      many.gaps.longest.map(({ start, stop }: { start: number; stop: number }) => (stop - start) / 1000),
    ).toEqual([18, 14, 24, 16, 30]);
    expect(many.text).toMatch(/^6 gaps .* 0:01:48 in total; the longest:\n/);
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
    expect(await gapsOf(0, 1, 8, 9, 10, 2, 3, 4, 5, 6, 7, 11)).toEqual([]);
    expect(await gapsOf(0, 1, 2, 20, 21, 22, 9, 10, 11, 23)).toEqual([
      [2, 9],
      [11, 20],
    ]);
    expect(await gapsOf(10, 11, 0, 1, 2)).toEqual([[2, 10]]);
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
  ])("exits with 3 even for minimal damage: %s", async ([kind, damaged]) => {
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
