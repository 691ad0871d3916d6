import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  asi,
  asiProcess,
  MATCH,
  namesIn,
  PLAIN_LOG,
  RIDE,
  rowsOf,
  scratchFolder,
  shell,
  TORN,
  textOf,
  WITH_NMEA,
} from "./asi-process.js";

const HEADER = "timestamp,latitude,longitude,altitude,speed,hr\n";

describe("asi convert", () => {
  test("writes the CSV beside the input, under its default name", async () => {
    const folder = scratchFolder();
    const elsewhere = scratchFolder();
    const path = MATCH.copyTo(folder);
    const { status, stdout, stderr } = await asi(["convert", path], { cwd: elsewhere });
    const name = MATCH.expected.fileName;
    expect(status).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toBe(`${path}: 7200 rows -> ${join(folder, name)}\n`);
    expect(namesIn(folder)).toEqual([name, "match.asi"]);
    expect(textOf(folder, name)).toBe(MATCH.csv);
    expect(namesIn(elsewhere)).toEqual([]);
  });

  test("writes the CSV of the standard input, a pipe or a file, into the current folder", async () => {
    for (const command of [
      "cat match.asi | $ASI convert -",
      "$ASI convert - < match.asi",
      "$ASI convert /dev/stdin < match.asi",
    ]) {
      const folder = scratchFolder();
      MATCH.copyTo(folder);
      const { status } = await shell(command, folder);
      expect(status).toBe(0);
      expect(textOf(folder, MATCH.expected.fileName)).toBe(MATCH.csv);
    }
  });

  test("writes the CSV of a named pipe into the current folder", async () => {
    const folder = scratchFolder();
    const { status } = await shell(`$ASI convert <(cat ${MATCH.path})`, folder);
    expect(status).toBe(0);
    expect(textOf(folder, MATCH.expected.fileName)).toBe(MATCH.csv);
  });

  test("creates --out-dir and writes the CSV there", async () => {
    const folder = scratchFolder();
    const { status } = await asi(["convert", MATCH.path, "--out-dir", "a/b"], { cwd: folder });
    expect(status).toBe(0);
    expect(namesIn(folder)).toEqual(["a"]);
    expect(textOf(join(folder, "a/b"), MATCH.expected.fileName)).toBe(MATCH.csv);
  });

  test("writes the CSV to the file that -o names", async () => {
    const folder = scratchFolder();
    const { status } = await asi(["convert", MATCH.path, "-o", "my.csv"], { cwd: folder });
    expect(status).toBe(0);
    expect(namesIn(folder)).toEqual(["my.csv"]);
    expect(textOf(folder, "my.csv")).toBe(MATCH.csv);
  });

  test("writes only the CSV to the standard output with -o -", async () => {
    const folder = scratchFolder();
    const { status, stdout, stderr } = await asi(["convert", TORN.path, "-o", "-"], { cwd: folder });
    expect(status).toBe(3);
    expect(stdout).toBe(TORN.csv);
    expect(stderr).toMatch(/damaged: 8 bad checksums; 221 bytes skipped/);
    expect(namesIn(folder)).toEqual([]);
  });

  test("writes through an existing pipe or device, and does not replace it", async () => {
    const folder = scratchFolder();
    const script = `mkfifo pipe && (cat pipe > read.csv & $ASI convert ${MATCH.path} -o pipe; status=$?; wait; exit $status)`;
    expect((await shell(script, folder)).status).toBe(0);
    expect(textOf(folder, "read.csv")).toBe(MATCH.csv);
    expect(statSync(join(folder, "pipe")).isFIFO()).toBe(true);

    expect((await asi(["convert", MATCH.path, "-o", "/dev/null"], { cwd: folder })).status).toBe(0);
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    const toOutput = await shell(`$ASI convert ${MATCH.path} -o /dev/stdout > out.csv`, folder);
    expect(toOutput.status).toBe(0);
    expect(textOf(folder, "out.csv")).toBe(MATCH.csv);
  });
});

describe("asi convert does not destroy existing files", () => {
  test("does not overwrite files without --force", async () => {
    const folder = scratchFolder();
    const path = MATCH.copyTo(folder);
    const name = MATCH.expected.fileName;
    writeFileSync(join(folder, name), "mine");
    const refused = await asi(["convert", path]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/already exists.*--force.*\(FILE_EXISTS\)/);
    expect(textOf(folder, name)).toBe("mine");
    expect(namesIn(folder)).toEqual([name, "match.asi"]);
    expect((await asi(["convert", path, "--force"])).status).toBe(0);
    expect(textOf(folder, name)).toBe(MATCH.csv);
    expect(namesIn(folder)).toEqual([name, "match.asi"]);
  });

  test("overwrites the target of a link, not the link", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "target.csv"), "old");
    symlinkSync("target.csv", join(folder, "link.csv"));
    expect((await asi(["convert", MATCH.path, "-o", "link.csv", "--force"], { cwd: folder })).status).toBe(0);
    expect(textOf(folder, "target.csv")).toBe(MATCH.csv);
  });

  test.skipIf(!hasOtherFileSystem())(
    "overwrites the target of a link into a different file system",
    async () => {
      const folder = scratchFolder();
      const elsewhere = mkdtempSync("/dev/shm/asi-test-");
      onTestFinished(() => rmSync(elsewhere, { recursive: true }));
      writeFileSync(join(elsewhere, "target.csv"), "old");
      symlinkSync(join(elsewhere, "target.csv"), join(folder, "link.csv"));
      const { status, stderr } = await asi(["convert", MATCH.path, "-o", "link.csv", "--force"], {
        cwd: folder,
      });
      expect(stderr).toMatch(/7200 rows -> link\.csv/);
      expect(status).toBe(0);
      expect(textOf(elsewhere, "target.csv")).toBe(MATCH.csv);
      expect(lstatSync(join(folder, "link.csv")).isSymbolicLink()).toBe(true);
      expect([...namesIn(folder), ...namesIn(elsewhere)]).toEqual(["link.csv", "target.csv"]);
    },
  );

  test("never overwrites its input, even with --force", async () => {
    const folder = scratchFolder();
    const path = MATCH.copyTo(folder);
    symlinkSync("match.asi", join(folder, "link.csv"));
    for (const output of [path, join(folder, "link.csv")]) {
      const { status, stderr } = await asi(["convert", path, "-o", output, "--force"]);
      expect(status).toBe(2);
      expect(stderr).toMatch(/is the input, which/);
    }
    expect(readFileSync(path).equals(MATCH.bytes)).toBe(true);
  });

  test("never overwrites an input that has the name of the CSV, even with --force", async () => {
    for (const args of [[], ["--jobs", "2"]]) {
      const folder = scratchFolder();
      MATCH.copyTo(folder, "match.asi");
      const path = MATCH.copyTo(folder, MATCH.expected.fileName);
      const { status, stderr } = await asi(["convert", "match.asi", path, "--force", ...args], {
        cwd: folder,
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/is an input, which/);
      expect(readFileSync(path).equals(MATCH.bytes)).toBe(true);
      expect(namesIn(folder)).toEqual([MATCH.expected.fileName, "match.asi"]);
    }
  });

  test("leaves no file if there are no rows", async () => {
    const folder = scratchFolder();
    const { status, stderr } = await asi(["convert", MATCH.path, "--from", "2030-01-01", "-d", "."], {
      cwd: folder,
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/no row is within --from\/--to.*NO_SAMPLES/);
    expect(namesIn(folder)).toEqual([]);
  });
});

describe("asi convert writes the selected rows and columns", () => {
  test("--split writes one CSV per range, which together contain all rows", async () => {
    const folder = scratchFolder();
    const { status } = await asi(["convert", MATCH.path, "--split", "-d", "."], { cwd: folder });
    expect(status).toBe(0);
    const names = [
      "AS-10017_20250315T143000_20250315T143559.csv",
      "AS-10017_20250315T144300_20250315T144859.csv",
    ];
    expect(namesIn(folder)).toEqual(names);
    const halves = names.map((name) => textOf(folder, name));
    expect(halves.map((csv) => csv.slice(0, HEADER.length))).toEqual([HEADER, HEADER]);
    expect(HEADER + halves.map((csv) => csv.slice(HEADER.length)).join("")).toBe(MATCH.csv);
  });

  // The second half of the match begins at 14:43:00.
  test.each([
    ["2025-03-15T14:43:00Z", "2025-03-15T14:43:10Z"],
    ["2025-03-15 14:43", "2025-03-15 14:43:10.000"],
    ["2025-03-15T15:43:00+01:00", "2025-03-15T10:13:10-0430"],
    ["20250315T144300", "20250315T144310Z"],
    ["1742049780", "1742049790.000"],
  ])(
    "--from %s --to %s includes both ends, and the file name contains the times of the written rows",
    async (from, to) => {
      const folder = scratchFolder();
      const { status } = await asi(["convert", MATCH.path, "--from", from, "--to", to, "-d", "."], {
        cwd: folder,
      });
      expect(status).toBe(0);
      const lines = MATCH.csv.split("\n");
      const expected = lines.filter((line) => line >= "1742049780.000" && line <= "1742049790.000,~");
      expect(expected).toHaveLength(101);
      expect(namesIn(folder)).toEqual(["AS-10017_20250315T144300_20250315T144310.csv"]);
      expect(textOf(folder, namesIn(folder)[0] ?? "")).toBe(`${HEADER}${expected.join("\n")}\n`);
    },
  );

  test("includes the whole day for a date as --from and --to", async () => {
    const day = await asi(["convert", MATCH.path, "--from", "2025-03-15", "--to", "2025-03-15", "-o", "-"]);
    expect(day.stdout).toBe(MATCH.csv);
    const next = await asi(["convert", MATCH.path, "--from", "2025-03-16", "-o", "-"]);
    expect(next.status).toBe(1);
    expect(next.stdout).toBe("");
  });

  test("writes the columns of --columns in that order, with --delimiter", async () => {
    const { status, stdout } = await asi([
      "convert",
      MATCH.path,
      "--columns",
      "speed,timestamp",
      "--delimiter",
      ";",
      "-o",
      "-",
    ]);
    expect(status).toBe(0);
    const lines = rowsOf(MATCH.csv).map(([timestamp, , , , speed]) => `${speed};${timestamp}\n`);
    expect(stdout).toBe(`speed;timestamp\n${lines.join("")}`);
  });

  test.each(["tab", "\\t", "\t"])("--delimiter %j is a tab", async (delimiter) => {
    const { stdout } = await asi(["convert", TORN.path, "--delimiter", delimiter, "-o", "-"]);
    expect(stdout).toBe(TORN.csv.replaceAll(",", "\t"));
  });

  test.each([
    ["1", 1000],
    ["2.5", 2500],
    ["300ms", 300],
    ["0", 0],
  ])("--fill-hr %s repeats a heart rate up to that age", async (age, ageMs) => {
    const folder = scratchFolder();
    // one row every half second, readings after 0 and 5 seconds
    const at = (i: number) => (1_700_000_000 + i / 2).toFixed(3);
    const hr = (i: number) => (i === 0 ? 90 : i === 10 ? 100 : null);
    const lines = Array.from(
      { length: 20 },
      (_, i) => `${at(i)},1.0000000,2.0000000,3.000,4.000,${hr(i) ?? ""}\n`,
    );
    writeFileSync(join(folder, "rows.csv"), HEADER + lines.join(""));
    await asi(["encode", "rows.csv", "--serial", "HR-1"], { cwd: folder });
    const { stdout } = await asi(["convert", "rows.asi", "--fill-hr", age, "-o", "-"], { cwd: folder });
    const expected = lines.map((_, i) => {
      const reading = i < 10 ? 0 : 10;
      return (i - reading) * 500 <= ageMs ? String(hr(reading)) : "";
    });
    expect(rowsOf(stdout).map((fields) => fields[5])).toEqual(expected);
  });

  test("--serial reads a plain u-blox log, and names the CSV", async () => {
    const folder = scratchFolder();
    expect((await asi(["convert", PLAIN_LOG.path, "-d", "."], { cwd: folder })).status).toBe(1);
    const { status } = await asi(["convert", PLAIN_LOG.path, "--serial", "UBX7-0002", "-d", "."], {
      cwd: folder,
    });
    expect(status).toBe(0);
    expect(textOf(folder, PLAIN_LOG.expected.fileName)).toBe(PLAIN_LOG.csv);
    await asi(["convert", MATCH.path, "--serial", "MINE", "-d", "."], { cwd: folder });
    expect(namesIn(folder)).toContain(MATCH.expected.fileName.replace("AS-10017", "MINE"));
  });

  test("--strict fails at the first damage, reports its position, and leaves no file", async () => {
    const folder = scratchFolder();
    const { status, stderr } = await asi(["convert", TORN.path, "--strict", "-d", "."], { cwd: folder });
    expect(status).toBe(1);
    expect(stderr).toMatch(/\(DAMAGED at byte 1272\)/);
    expect(namesIn(folder)).toEqual([]);
    expect((await asi(["convert", WITH_NMEA.path, "--strict", "-d", "."], { cwd: folder })).status).toBe(0);
  });
});

describe("asi convert --json", () => {
  test("prints one object per input: the files, the header and the report of the library", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "csv"));
    const missing = join(folder, "missing.asi");
    const { status, stdout, stderr } = await asi(
      ["convert", MATCH.path, missing, TORN.path, "--json", "-d", "csv"],
      { cwd: folder },
    );
    expect(status).toBe(1);
    expect(stderr).toBe("");
    const results = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results).toEqual([
      expect.objectContaining({
        input: MATCH.path,
        files: [{ path: `csv/${MATCH.expected.fileName}`, bytes: MATCH.csv.length }],
        info: expect.objectContaining({ serial: "AS-10017", periodMs: 100, formatVersion: 1 }),
        report: MATCH.expected.report,
      }),
      { input: missing, error: { code: "NO_INPUT", message: expect.any(String) } },
      expect.objectContaining({ input: TORN.path, report: TORN.expected.report }),
    ]);
  });

  test("reports the code, the position and, if available, the report of a failure", async () => {
    const strict = JSON.parse((await asi(["convert", TORN.path, "--strict", "--json"])).stdout);
    expect(strict).toEqual({
      input: TORN.path,
      error: { code: "DAMAGED", message: expect.stringContaining("--strict"), byteOffset: 1272 },
    });
    const noRow = JSON.parse((await asi(["convert", MATCH.path, "--to", "0", "--json"])).stdout);
    expect(noRow.error.code).toBe("NO_SAMPLES");
    expect(noRow.report).toEqual(MATCH.expected.report);
  });
});

test("the results do not depend on the time zone of the machine", async () => {
  for (const TZ of ["UTC", "Asia/Kolkata", "America/St_Johns"]) {
    const folder = scratchFolder();
    const range = ["--from", "2025-03-15T14:43", "--to", "2025-03-15"];
    const converted = await asiProcess(["convert", MATCH.path, RIDE.path, "-d", "."], {
      cwd: folder,
      env: { TZ },
    });
    expect(converted.status).toBe(0);
    expect(namesIn(folder)).toEqual([MATCH.expected.fileName, RIDE.expected.fileName].sort());
    expect(textOf(folder, RIDE.expected.fileName)).toBe(RIDE.csv);
    const half = await asiProcess(["convert", MATCH.path, ...range, "-o", "-"], { env: { TZ } });
    expect(rowsOf(half.stdout)).toHaveLength(3600);
    const ranges = await asiProcess(["ranges", MATCH.path], { env: { TZ } });
    expect(ranges.stdout).toMatch(/^2025-03-15T14:30:00\.000Z\t2025-03-15T14:35:59\.900Z\t3600\n/);
  }
});

function hasOtherFileSystem(): boolean {
  const other = statSync("/dev/shm", { throwIfNoEntry: false });
  return other !== undefined && other.dev !== statSync(tmpdir()).dev;
}
