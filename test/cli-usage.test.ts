import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asi, MATCH, namesIn, RIDE, scratchFolder, shell } from "./asi-process.js";

const COMMANDS = ["convert", "info", "ranges", "validate", "repair", "encode", "pull", "stream"];

describe("help", () => {
  test.each([[], ...COMMANDS.map((name) => [name])])(
    "shows the examples of asi %s first",
    async (...command) => {
      const { status, stdout, stderr } = await asi([...command, "--help"]);
      expect(status).toBe(0);
      expect(stderr).toBe("");
      expect(stdout).toMatch(/^Examples:\n {2}asi /);
      expect(stdout).toMatch(/\nUsage: asi /);
      expect(stdout).toMatch(/Exit status: 0 /);
      expect(stdout).toMatch(/\nDocumentation: file:\/\/\/.*README\.md\n$/);
    },
  );

  test("is printed to the standard error if the command is missing, as incorrect usage", async () => {
    const { status, stdout, stderr } = await asi([]);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^Examples:/);
    for (const name of COMMANDS) expect(stderr).toContain(`\n  ${name} `);
  });

  test("names the choices of an option only once", async () => {
    const { stdout } = await asi(["convert", "--help"]);
    const text = stdout.replace(/\s+/g, " ");
    expect(text).toMatch(
      /csv, parquet, gpx, tcx, fit, geojson, geojsonl, jsonl or kml; default: by the extension/,
    );
    expect(text.match(/choices: [^)]*/g)).toEqual(["choices: auto, always, never; default: auto"]);
  });

  test("--version prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(await asi(["--version"])).toEqual({ status: 0, signal: null, stdout: `${version}\n`, stderr: "" });
  });
});

describe("incorrect usage exits with 2, explains the usage, and changes nothing", () => {
  test.each<[string, string[], RegExp]>([
    ["no such command", ["convrt", "m.asi"], /Did you mean convert/],
    ["no such option", ["convert", "m.asi", "--ouput", "x"], /Did you mean --output/],
    [
      "a file instead of a command",
      ["m.asi"],
      /^asi: Unknown command m\.asi\. Did you mean asi convert m\.asi\?\n/,
    ],
    ["a folder instead of a command", ["."], /Did you mean asi convert \.\?/],
    ["help for an unknown name", ["help", "convrt"], /^asi: Unknown command convrt\. Did you mean convert\?/],
    ["help for a file", ["help", "x.asi.gz"], /Did you mean asi convert x\.asi\.gz\?/],
    [
      "an option without its value",
      ["convert", "m.asi", "--out-dir"],
      /^asi: --out-dir requires a value\.\n/,
    ],
    [
      "an invalid color setting",
      ["info", "m.asi", "--color", "red"],
      /^asi: --color is "red"\. Allowed choices are auto, /,
    ],
    [
      "a shell without completions",
      ["completion", "tcsh"],
      /^asi: Shell is "tcsh"\. Allowed choices are bash, /,
    ],
    ["every 0 s", ["convert", "m.asi", "--every", "0s"], /^asi: --every is 0; it must be/],
    ["no decimal mark", ["convert", "m.asi", "--decimal", "x"], /^asi: --decimal is "x"/],
    [
      "a comma twice",
      ["convert", "m.asi", "--decimal", ",", "--delimiter", ","],
      /^asi: --decimal and --delimiter are/,
    ],
    [
      "no source of heart rates",
      ["info", "m.asi", "--hr", "pulse"],
      /^asi: --hr is "pulse"\. Allowed choices are auto, /,
    ],
    [
      "an end before the start",
      ["convert", "m.asi", "--from", "2025-01-02", "--to", "2025-01-01"],
      /^asi: --from is later than --to\./,
    ],
    ["no input", ["convert"], /Missing required argument inputs\./],
    ["-o with several inputs", ["convert", "m.asi", "n.asi", "-o", "x.csv"], /--out-dir/],
    ["-o with a folder of several", ["convert", ".", "-o", "x.csv"], /--out-dir/],
    ["-o - with several inputs", ["convert", ".", "-o", "-"], /--out-dir/],
    ["-o with --split", ["convert", "m.asi", "-o", "x.csv", "--split"], /--out-dir/],
    ["-o with --out-dir", ["convert", "m.asi", "-o", "x.csv", "-d", "."], /either/],
    ["-o with a folder", ["convert", "m.asi", "-o", "."], /folder/],
    ["-o without a name", ["convert", "m.asi", "-o", ""], /empty/],
    ["--out-dir without a name", ["convert", "m.asi", "--out-dir", ""], /empty/],
    ["--json with -o -", ["convert", "m.asi", "--json", "-o", "-"], /name a file with -o/],
    [
      "--json with -o /dev/stdout",
      ["convert", "m.asi", "--json", "-o", "/dev/stdout"],
      /name a file with -o/,
    ],
    ["the standard input twice", ["convert", "-", "-"], /only once/],
    ["an unknown column", ["convert", "m.asi", "--columns", "time,speed"], /there is no "time"/],
    ["a column twice", ["convert", "m.asi", "--columns", "speed,speed"], /each column once/],
    ["a delimiter of two characters", ["convert", "m.asi", "--delimiter", ";;"], /one character/],
    ["a letter as delimiter", ["convert", "m.asi", "--delimiter", "e"], /letter/],
    ["a digit as delimiter", ["convert", "m.asi", "--delimiter", "1"], /digit/],
    ["no time", ["convert", "m.asi", "--from", "noon"], /2025-05-17T14:30:00Z/],
    ["a day that does not exist", ["convert", "m.asi", "--from", "2025-02-30"], /date and time/],
    ["a time that does not exist", ["convert", "m.asi", "--to", "2025-02-28T24:30"], /date and time/],
    [
      "an end that is a day before the start",
      ["convert", "m.asi", "--from", "2025-03-02", "--to", "2025-03-01"],
      /later/,
    ],
    ["no age", ["convert", "m.asi", "--fill-hr", "long"], /5s/],
    ["an age below zero", ["convert", "m.asi", "--fill-hr=-1"], /5s/],
    ["half a millisecond", ["convert", "m.asi", "--fill-hr", "0.5ms"], /whole milliseconds/],
    ["no job", ["convert", "m.asi", "--jobs", "0"], /1 to 64/],
    ["a serial that is not a valid file name", ["convert", "m.asi", "--serial", "../x"], /file name/],
    ["a serial that is too long", ["convert", "m.asi", "--serial", "x".repeat(17)], /at most 16/],
    ["the same for info", ["info", "m.asi", "--serial", "-x"], /file name/],
    ["repair: --json with -o -", ["repair", "m.asi", "--json", "-o", "-"], /name a file with -o/],
    ["repair: -o with several", ["repair", "m.asi", "n.asi", "-o", "x.asi"], /--out-dir/],
    ["repair: its input", ["repair", "m.asi", "-o", "m.asi", "--force"], /is the input, which/],
    ["repair: a serial too long", ["repair", "m.asi", "--serial", "x".repeat(17)], /at most 16/],
    ["encode: a demo before 1970", ["encode", "--demo", "--start", "1969-12-31"], /1970/],
    ["encode: a demo after 9999", ["encode", "--demo", "--start", "99999999999999"], /9999/],
    ["encode without anything", ["encode"], /--demo/],
    ["encode: several CSVs by a pattern", ["encode", "?.asi", "--serial", "X"], /one by one/],
    ["encode: --demo with a CSV", ["encode", "x.csv", "--demo"], /omit the file/],
    ["encode: --seed without --demo", ["encode", "x.csv", "--seed", "1"], /--demo/],
    ["encode: no serial number", ["encode", "x.csv"], /--serial/],
    ["encode: a name that is too long", ["encode", "--demo", "--device-name", "x".repeat(17)], /at most 16/],
    ["encode: an invalid seed", ["encode", "--demo", "--seed", "x"], /whole number/],
  ])("%s", async (_, args, message) => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, "m.asi");
    RIDE.copyTo(folder, "n.asi");
    const { status, stdout, stderr } = await asi(args, { cwd: folder });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^asi: \S.*\nasi --help and asi COMMAND --help describe the usage\.\n$/);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(namesIn(folder)).toEqual(["m.asi", "n.asi"]);
  });
});

describe("messages", () => {
  test("never show a stack trace, unless ASI_DEBUG=1 is set", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "out"));
    const plain = await asi(["convert", "missing.asi"], { cwd: folder });
    expect(plain.stderr).toBe("asi: missing.asi: There is no such file or folder. (NO_INPUT)\n");
    const traced = await asi(["convert", "missing.asi"], { cwd: folder, env: { ASI_DEBUG: "1" } });
    expect(traced.stderr).toMatch(/\n {4}at /);
  });

  test("report the reason and the folder of a file that cannot be created", async () => {
    const folder = scratchFolder();
    const { status, stderr } = await asi(["convert", MATCH.path, "-o", "nowhere/x.csv"], { cwd: folder });
    expect(status).toBe(1);
    expect(stderr).toMatch(/Cannot write into .*nowhere: there is no such file or folder\. \(ENOENT\)/);
  });

  test.skipIf(process.platform !== "linux")("a full disk leaves no file", async () => {
    const { status, stderr } = await asi(["convert", MATCH.path, "-o", "/dev/full"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/the disk is full.*\(ENOSPC\)/i);
    const folder = scratchFolder();
    // a limit of 100 blocks for a file, which is less than the CSV
    const limited = await shell(`trap '' XFSZ; ulimit -f 100; $ASI convert ${MATCH.path} -d .`, folder);
    expect(limited.status).toBe(1);
    expect(limited.stderr).toMatch(/too large.*\(EFBIG\)/);
    expect(namesIn(folder)).toEqual([]);
  });
});
