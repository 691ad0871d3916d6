import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  asi,
  asiProcess,
  MATCH,
  namesIn,
  RIDE,
  rowsOf,
  scratchFolder,
  shell,
  textOf,
} from "./asi-process.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";

// The match is played from 14:30:00 to 14:35:59.9 and from 14:43:00 to 14:48:59.9 UTC on 15 March 2025.

/** A recording with a row every second. */
function everySecond(from: string, to: string): Uint8Array {
  const rows: Uint8Array[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += 1000) rows.push(navPvt(civilTime(ms)));
  return joined([asiInf(), ...rows]);
}

const firstAndLast = async (args: readonly string[], input: Uint8Array) => {
  const { stdout, stderr } = await asi(["convert", "-", "-o", "-", "--time", "iso", ...args], { input });
  const times = rowsOf(stdout).map(([time]) => time);
  return stderr === "" ? [times[0], times.at(-1)] : stderr;
};

describe("asi convert --from and --to", () => {
  test.each([
    ["a time of day, in UTC", ["--from", "14:43", "--to", "14:43:10"]],
    ["a time of day, in a zone", ["--from", "15:43", "--to", "15:43:10", "--tz", "Europe/Zurich"]],
    [
      "a date and time, in a zone",
      ["--from", "2025-03-15 15:43", "--to", "20250315T154310", "--tz", "Europe/Zurich"],
    ],
    [
      "a time with an offset, which takes precedence over the zone",
      ["--from", "2025-03-15T14:43Z", "--to", "15:43:10", "--tz", "Europe/Zurich"],
    ],
    ["fractions after a comma", ["--from", "14:43:00,0", "--to", "2025-03-15 14:43:10,000Z"]],
    ["half-hour zones", ["--from", "20:13", "--to", "20:13:10.0", "--tz", "Asia/Kolkata"]],
  ])("can be %s", async (_, args) => {
    expect(await firstAndLast(args, MATCH.bytes)).toEqual([
      "2025-03-15T14:43:00.000Z",
      "2025-03-15T14:43:10.000Z",
    ]);
  });

  test("mean the day of the first row in the time zone, for files, pipes and threads", async () => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, "match.asi");
    // on another day
    RIDE.copyTo(folder, "ride.asi");
    const start = RIDE.expected.report.start ?? 0;
    const clock = new Date(start + 60_000).toISOString().slice(11, 19);
    for (const jobs of ["1", "2"]) {
      const { stderr } = await asi(
        ["convert", "match.asi", "ride.asi", "--from", clock, "--to", "14:31", "-f", "-d", "out", "-j", jobs],
        { cwd: folder },
      );
      expect(stderr).toContain("ride.asi: ");
    }
    const both = ["--from", "15:43", "--tz", "Europe/Zurich", "-f"];
    await asi(["convert", "match.asi", ...both], { cwd: folder });
    expect(namesIn(folder)).toContain("AS-10017_20250315T154300_20250315T154859.csv");
    const piped = await shell(`cat match.asi | $ASI convert - ${both.join(" ")} -o - | wc -l`, folder);
    expect(piped.stdout.trim()).toBe("3601");
  });

  const night = everySecond("2025-05-17T21:00:00Z", "2025-05-17T23:00:00Z");

  test("are on the first day of a recording with rows of several days, which every command says", async () => {
    const friday = everySecond("2025-05-16T20:00:00Z", "2025-05-16T20:00:09Z");
    const saturday = everySecond("2025-05-17T13:30:00Z", "2025-05-17T13:35:00Z");
    const input = joined([friday, saturday]);
    const folder = scratchFolder();
    const said =
      "The recording runs from 2025-05-16T20:00:00.000Z to 2025-05-17T13:35:00.000Z, and --from/--to count from its first day. Add a date";
    for (const args of [
      ["convert", "-", "-o", "-"],
      ["convert", "-", "-o", "rows.csv"],
      ["stats", "-"],
      ["plot", "-"],
      ["report", "-", "-o", "report.html"],
    ]) {
      const { stderr } = await asi([...args, "--from", "13:32"], { input, cwd: folder });
      expect(stderr, args[0]).toContain(said);
    }
    const dated = await asi(["stats", "-", "--from", "2025-05-17T13:32"], { input });
    expect(dated.stderr).not.toContain("first day");
    const short = await asi(["stats", "-", "--from", "13:32"], { input: saturday });
    expect(short.stderr).toBe("");
  });

  test("can begin before midnight on the day before the first row", async () => {
    // 00:10 to 01:00 in Zurich
    const late = everySecond("2025-05-17T22:10:00Z", "2025-05-17T23:00:00Z");
    const zone = ["--tz", "Europe/Zurich"];
    expect(await firstAndLast(["--from", "23:50", "--to", "00:30", ...zone], late)).toEqual([
      "2025-05-17T22:10:00.000Z",
      "2025-05-17T22:30:00.000Z",
    ]);
    // the last row in the range, and no row
    expect(await firstAndLast(["--from", "23:50", "--to", "00:10", ...zone], late)).toEqual([
      "2025-05-17T22:10:00.000Z",
      "2025-05-17T22:10:00.000Z",
    ]);
    expect(await firstAndLast(["--from", "23:50", "--to", "00:09", ...zone], late)).toMatch(/NO_SAMPLES/);
  });

  test("are an error if --to is before --from on the day of the recording", async () => {
    for (const args of [["convert", "-o", "-"], ["stats"], ["plot"]]) {
      const folder = scratchFolder();
      MATCH.copyTo(folder, "match.asi");
      const reversed = ["match.asi", "--from", "14:45", "--to", "14:40"];
      const { status, stdout, stderr } = await asi([...args, ...reversed], { cwd: folder });
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(
        "match.asi: --to 14:40 is before --from 14:45 on the day of the recording. Change one of them, or add the dates if --to is on the next day. (BAD_OPTION)",
      );
    }
  });

  test("extend past midnight", async () => {
    // 23:00 to 01:00 in Zurich
    const zone = ["--tz", "Europe/Zurich"];
    expect(await firstAndLast(["--from", "23:50", "--to", "00:10", ...zone], night)).toEqual([
      "2025-05-17T21:50:00.000Z",
      "2025-05-17T22:10:00.000Z",
    ]);
    expect(await firstAndLast(["--from", "00:10", "--to", "00:20", ...zone], night)).toEqual([
      "2025-05-17T22:10:00.000Z",
      "2025-05-17T22:20:00.000Z",
    ]);
    expect(await firstAndLast(["--from", "00:10", ...zone], night)).toEqual([
      "2025-05-17T22:10:00.000Z",
      "2025-05-17T23:00:00.000Z",
    ]);
    expect(await firstAndLast(["--to", "00:10", ...zone], night)).toEqual([
      "2025-05-17T21:00:00.000Z",
      "2025-05-17T22:10:00.000Z",
    ]);
    // slightly before the first row, all rows or no row are selected
    expect(await firstAndLast(["--from", "22:30", ...zone], night)).toEqual([
      "2025-05-17T21:00:00.000Z",
      "2025-05-17T23:00:00.000Z",
    ]);
    expect(await firstAndLast(["--to", "22:30", ...zone], night)).toMatch(/NO_SAMPLES/);
    expect(await firstAndLast(["--to", "23:10", ...zone], night)).toEqual([
      "2025-05-17T21:00:00.000Z",
      "2025-05-17T21:10:00.000Z",
    ]);
    const compact = await firstAndLast(["--from", "20250518", ...zone], night);
    expect(compact).toEqual(await firstAndLast(["--from", "2025-05-18", ...zone], night));
    expect(await firstAndLast(["--from", "2025-05-18", ...zone], night)).toEqual([
      "2025-05-17T22:00:00.000Z",
      "2025-05-17T23:00:00.000Z",
    ]);
    expect(await firstAndLast(["--to", "2025-05-17", ...zone], night)).toEqual([
      "2025-05-17T21:00:00.000Z",
      "2025-05-17T21:59:59.000Z",
    ]);
  });

  test("mean the day of the first row, even if damage hides this row until the end of the file", async () => {
    // a frame whose claimed length is longer than the rest of the recording
    const overlong = Uint8Array.of(0xb5, 0x62, 0x01, 0x07, 0xff, 0x0f);
    const header = asiInf();
    const rows = everySecond("2025-05-17T21:00:00Z", "2025-05-17T21:00:20Z").subarray(header.length);
    const { stdout } = await asi(["convert", "-", "-o", "-", "--from", "21:00:15"], {
      input: joined([header, overlong, rows]),
    });
    expect(rowsOf(stdout)).toHaveLength(6);
  });

  test("include both hours when clocks are set back, and no rows for a skipped hour", async () => {
    const zone = ["--tz", "Europe/Zurich"];
    const autumn = everySecond("2025-10-25T23:30:00Z", "2025-10-26T02:30:00Z");
    expect(await firstAndLast(["--from", "02:15", "--to", "02:45", ...zone], autumn)).toEqual([
      "2025-10-26T00:15:00.000Z",
      "2025-10-26T01:45:00.000Z",
    ]);
    const spring = everySecond("2025-03-30T00:30:00Z", "2025-03-30T01:30:00Z");
    expect(await firstAndLast(["--from", "02:15", ...zone], spring)).toEqual([
      "2025-03-30T01:00:00.000Z",
      "2025-03-30T01:30:00.000Z",
    ]);
    expect(await firstAndLast(["--to", "02:15", ...zone], spring)).toEqual([
      "2025-03-30T00:30:00.000Z",
      "2025-03-30T00:59:59.000Z",
    ]);
    expect(await firstAndLast(["--from", "02:15", "--to", "02:45", ...zone], spring)).toMatch(/NO_SAMPLES/);
  });

  test("cause an error with the times of the recording if no rows are between them", async () => {
    const { status, stderr } = await asi(["convert", MATCH.path, "--from", "16:30", "--tz", "Europe/Zurich"]);
    expect(status).toBe(1);
    expect(stderr).toBe(
      `asi: ${MATCH.path}: The recording runs from 2025-03-15T15:30:00.000+01:00 to 2025-03-15T15:48:59.900+01:00; no row is within --from/--to. (NO_SAMPLES)\n`,
    );
    const piped = await firstAndLast(["--to", "14:29"], MATCH.bytes);
    expect(piped).toMatch(
      /runs from 2025-03-15T14:30:00\.000Z to 2025-03-15T14:48:59\.900Z; no row is within --from\/--to/,
    );
  });

  test("cause an error that mentions UTC if no rows are between them and no zone is given", async () => {
    const hint = /Times without an offset are UTC; --tz names another zone/;
    expect(await firstAndLast(["--from", "16:30"], MATCH.bytes)).toMatch(hint);
    expect(await firstAndLast(["--from", "2025-03-15T15:30"], MATCH.bytes)).toMatch(hint);
    expect(await firstAndLast(["--from", "2025-03-15T15:30Z"], MATCH.bytes)).not.toMatch(hint);
    expect(await firstAndLast(["--from", "16:30", "--tz", "UTC"], MATCH.bytes)).not.toMatch(hint);
  });

  test("cause only the usual error for a file that is not a recording", async () => {
    expect(await firstAndLast(["--from", "16:30"], new Uint8Array(100_000))).toMatch(/NOT_A_RECORDING/);
    expect(await firstAndLast(["--from", "16:30"], asiInf())).toMatch(/NO_SAMPLES/);
  });
});

describe("asi convert --time", () => {
  let rows: Uint8Array;
  beforeAll(() => {
    rows = everySecond("2025-10-26T00:59:59Z", "2025-10-26T01:00:00Z");
  });
  const timesOf = async (...args: string[]) =>
    (await asi(["convert", "-", "-o", "-", "--columns", "timestamp", ...args], { input: rows })).stdout
      .trimEnd()
      .split("\n")
      .slice(1);

  test.each([
    ["unix", ["1761440399.000", "1761440400.000"]],
    ["iso", ["2025-10-26T00:59:59.000Z", "2025-10-26T01:00:00.000Z"]],
    ["local", ["2025-10-26T02:59:59.000+02:00", "2025-10-26T02:00:00.000+01:00"]],
    ["excel", ["2025-10-26 02:59:59.000", "2025-10-26 02:00:00.000"]],
  ])("%s", async (time, expected) => {
    expect(await timesOf("--time", time, "--tz", "Europe/Zurich")).toEqual(expected);
  });

  test("excel with a decimal comma", async () => {
    expect(await timesOf("--time", "excel", "--decimal", ",")).toEqual([
      "2025-10-26 00:59:59,000",
      "2025-10-26 01:00:00,000",
    ]);
  });

  test("changes the times of JSON lines", async () => {
    const { stdout } = await asi(
      ["convert", "-", "-o", "-", "--format", "jsonl", "--time", "local", "--tz", "America/St_Johns"],
      { input: rows },
    );
    expect(JSON.parse(stdout.split("\n")[0] ?? "").timestamp).toBe("2025-10-25T22:29:59.000-02:30");
  });
});

test("--tz applies to other formats only as the zone of --from and --to", async () => {
  const { status, stdout } = await asi([
    "convert",
    MATCH.path,
    "--format",
    "gpx",
    "--from",
    "15:43",
    "--tz",
    "Europe/Zurich",
    "-o",
    "-",
  ]);
  expect(status).toBe(0);
  expect(/<time>(.*?)<\/time>/.exec(stdout)?.[1]).toBe("2025-03-15T14:43:00.000Z");
});

test("--decimal , separates the fields by semicolons, unless --delimiter is given", async () => {
  const folder = scratchFolder();
  writeFileSync(join(folder, "two.asi"), everySecond("2025-05-17T14:30:00Z", "2025-05-17T14:30:01Z"));
  await asi(["convert", "two.asi", "--decimal", ",", "-o", "two.csv"], { cwd: folder });
  expect(textOf(folder, "two.csv")).toBe(
    "timestamp;latitude;longitude;altitude;speed;hr\n1747492200,000;0,0000000;0,0000000;0,000;0,000;\n1747492201,000;0,0000000;0,0000000;0,000;0,000;\n",
  );
  const tabs = await asi(["convert", "two.asi", "--decimal", ",", "--delimiter", "tab", "-o", "-"], {
    cwd: folder,
  });
  expect(tabs.stdout.split("\n")[1]).toBe("1747492200,000\t0,0000000\t0,0000000\t0,000\t0,000\t");
});

test("asi info and asi ranges show times in the zone of --tz", async () => {
  const { stdout } = await asi(["info", MATCH.path, "--tz", "Asia/Kolkata"]);
  expect(stdout).toMatch(/start +2025-03-15T20:00:00\.000\+05:30/);
  expect(stdout).toMatch(/2025-03-15T20:13:00\.000\+05:30 to 2025-03-15T20:18:59\.900\+05:30, 3600 rows/);
  const ranges = await asiProcess(["ranges", MATCH.path, "--tz", "local"], {
    env: { TZ: "America/New_York" },
  });
  expect(ranges.stdout).toMatch(/^2025-03-15T10:30:00\.000-04:00\t2025-03-15T10:35:59\.900-04:00\t3600\n/);
});

test.each<[string, string[], RegExp]>([
  ["an unknown zone", ["--tz", "Zurich"], /Did you mean Europe\/Zurich\?/],
  ["no zone", ["--tz", ""], /such as Europe\/Zurich, UTC, or local/],
  ["local times without a zone", ["--time", "local"], /requires --tz/],
  ["an unknown format of times", ["--time", "utc"], /unix, iso, local, excel/],
  [
    "times in GPX",
    ["--time", "iso", "-o", "x.gpx"],
    /gpx defines how times are written; --time applies only/,
  ],
  ["a time that does not exist", ["--from", "24:00"], /a time such as 14:30/],
  [
    "an end before the start, in a zone",
    ["--from", "2025-03-02T00:00", "--to", "2025-03-01T23:59Z", "--tz", "America/New_York"],
    /later/,
  ],
])("wrong usage: %s", async (_, args, message) => {
  const folder = scratchFolder();
  MATCH.copyTo(folder);
  const { status, stderr } = await asi(["convert", "match.asi", ...args], { cwd: folder });
  expect(stderr).toMatch(message);
  expect(status).toBe(2);
  expect(namesIn(folder)).toEqual(["match.asi"]);
});
