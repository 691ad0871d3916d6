import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asi, MATCH, namesIn, RIDE, scratchFolder, TORN, WITHOUT_ROW } from "./asi-process.js";

describe("asi plot", () => {
  test("draws speed and heart rate, 80 characters wide without a terminal", async () => {
    const { status, stdout, stderr } = await asi(["plot", MATCH.path]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`${MATCH.path}, AS-10017\n`);
    expect(stdout).toMatch(/speed, km\/h[\s\S]+ {3}30 ┤[\s\S]+ {4}0 ┤[\s\S]+heart rate, bpm[\s\S]+ 180 ┤/);
    expect(stdout).toMatch(/14:30 .*14:45/);
    const [, ...lines] = stdout.trimEnd().split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBe(80);
    expect(stdout).not.toContain("\x1b");
  });

  test("reports how many rows it omits because their speed is too high for the sport", async () => {
    const folder = scratchFolder();
    const row = (second: number, speed: number) => `${1_747_492_200 + second},47,8.5,${speed},`;
    const rows = Array.from({ length: 60 }, (_, i) => row(i, i < 20 ? 5 : 20));
    const header = "timestamp,latitude,longitude,speed,hr";
    writeFileSync(join(folder, "drive.csv"), [header, ...rows].join("\n"));
    await asi(["encode", "drive.csv", "--serial", "D-1"], { cwd: folder });
    // 40 rows, and the 40 seconds between the rows 20 and 60 and the one before them
    const said =
      "drive.asi: not drawn: 40 rows (40.0 s) faster than 45.0 km/h. Is the sport correct? See --sport.\n";
    expect((await asi(["plot", "drive.asi"], { cwd: folder })).stderr).toBe(said);
    expect((await asi(["plot", "drive.asi", "--sport", "biking"], { cwd: folder })).stderr).toBe("");
    const { stderr } = await asi(["plot", "drive.asi", "-o", "drive.svg"], { cwd: folder });
    expect(stderr).toContain(said);
  });

  test("draws the recording, and reports how many rows of another day it omits", async () => {
    const folder = scratchFolder();
    const header = "timestamp,latitude,longitude,speed,hr";
    const stray = ["1747405800,40,8.5,2,", "1747405801,40,8.5,2,"];
    const rows = Array.from({ length: 600 }, (_, i) => `${1_747_492_200 + i},47,8.5,${2 + (i % 4)},150`);
    const made = async (name: string, lines: readonly string[]) => {
      writeFileSync(join(folder, `${name}.csv`), [header, ...lines].join("\n"));
      await asi(["encode", `${name}.csv`, "--serial", "D-1"], { cwd: folder });
    };
    await made("alone", rows);
    await made("stray", [...stray, ...rows]);
    const drawn = async (name: string, ...options: string[]) => {
      const { stdout, stderr } = await asi(["plot", `${name}.asi`, ...options], { cwd: folder });
      return { plot: stdout.replace(`${name}.asi`, ""), stderr };
    };
    const said =
      "stray.asi: not drawn: 2 rows of another day, which are included in the figures; --from and --to select rows.\n";
    expect(await drawn("stray")).toEqual({ plot: (await drawn("alone")).plot, stderr: said });
    const asked = await drawn("stray", "--from", "2025-05-16T00:00:00Z");
    expect(asked.stderr).toBe("");
    expect(asked.plot).not.toBe((await drawn("alone")).plot);
    const { stderr } = await asi(["plot", "stray.asi", "-o", "stray.svg"], { cwd: folder });
    expect(stderr).toContain(said);
    const svg = readFileSync(join(folder, "stray.svg"), "utf8");
    expect(svg).toContain("2025-05-17, 14:30:00 to 14:39:59 UTC");
    expect(svg).toContain("Not drawn: 2 rows of another day");
  });

  test("draws only the speed of a recording without heart rates", async () => {
    const { stdout } = await asi(["plot", RIDE.path, "--sport", "biking"]);
    expect(stdout).toContain("speed, km/h");
    expect(stdout).not.toContain("heart rate");
  });

  test("uses colours with --color always, and escapes control characters in names", async () => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, "a\x1b[31m.asi");
    const { stdout } = await asi(["plot", ".", "--color", "always"], { cwd: folder });
    expect(stdout).toContain("a\\x1b[31m.asi, AS-10017");
    expect(stdout).toContain("\x1b[94m");
    expect((await asi(["plot", ".", "--color", "never"], { cwd: folder })).stdout).not.toContain("\x1b");
  });

  test("writes a picture, and never overwrites one without --force", async () => {
    const folder = scratchFolder();
    const svg = join(folder, "match.svg");
    const { status, stdout, stderr } = await asi(["plot", MATCH.path, "-o", svg, "--tz", "Europe/Zurich"]);
    expect([status, stdout, stderr]).toEqual([0, "", `${MATCH.path} -> ${svg}\n`]);
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg [\s\S]+match-hr\.asi[\s\S]+15:30:00[\s\S]+<\/svg>\n$/);
    writeFileSync(svg, "mine");
    const again = await asi(["plot", MATCH.path, "-o", svg]);
    expect([again.status, readFileSync(svg, "utf8")]).toEqual([1, "mine"]);
    expect(again.stderr).toMatch(/FILE_EXISTS/);
    expect((await asi(["plot", MATCH.path, "-o", svg, "--force"])).status).toBe(0);
    expect(namesIn(folder)).toEqual(["match.svg"]);
  });

  test("writes a PNG with twice the width and height of the SVG", async () => {
    const folder = scratchFolder();
    const [svg, png] = [join(folder, "match.svg"), join(folder, "match.PNG")];
    await asi(["plot", MATCH.path, "-o", svg]);
    expect((await asi(["plot", MATCH.path, "-o", png])).status).toBe(0);
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(readFileSync(svg, "utf8")) ?? [];
    const bytes = readFileSync(png);
    expect(bytes.toString("latin1", 1, 4)).toBe("PNG");
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([2 * Number(width), 2 * Number(height)]);
  });

  test("reports damage, and continues after a file that cannot be drawn", async () => {
    const { status, stdout, stderr } = await asi(["plot", WITHOUT_ROW.path, TORN.path]);
    expect(status).toBe(1);
    expect(stdout).toContain("DMG-0001");
    expect(stderr).toMatch(/damaged: 8 bad checksums[\s\S]+NO_SAMPLES/);
    expect((await asi(["plot", TORN.path])).status).toBe(3);
  });

  test.for([
    [["-o", "x.pdf"], /-o names a picture; give a name that ends in \.svg or \.png/],
    [["-o", "-"], /-o names a picture/],
    [["-o", "x.svg", TORN.path], /one picture, but there are several inputs/],
    [["--color", "blue"], /Allowed choices are auto, always, never/],
  ] as const)("refuses %j", async ([flags, message]) => {
    const { status, stderr } = await asi(["plot", MATCH.path, ...flags]);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe("asi plot --out-dir", () => {
  test("writes one picture per input, named after the input, and never overwrites a file", async () => {
    const folder = scratchFolder();
    const { status, stderr } = await asi(["plot", MATCH.path, TORN.path, "--out-dir", "pictures"], {
      cwd: folder,
    });
    expect([status, stderr]).toEqual([3, expect.stringContaining("damaged:")]);
    expect(namesIn(join(folder, "pictures"))).toEqual(["match-hr.svg", "torn-frames.svg"]);
    expect(readFileSync(join(folder, "pictures/torn-frames.svg"), "utf8")).toContain("Damaged recording:");
    const again = await asi(["plot", MATCH.path, "--out-dir", "pictures"], { cwd: folder });
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("--force")]);
    const both = await asi(["plot", MATCH.path, "--out-dir", "x", "-o", "y.svg"], { cwd: folder });
    expect(both.stderr).toContain("Give either -o or --out-dir.");
  });
});
