import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asi } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { CORNERS, EAST, matchFolder, NORTH, SIZE, SOUTH, WEST } from "./match-on-pitch.js";

describe("asi pitch", () => {
  it("prints the shape of the team for the session and each period, without the goalkeeper", async () => {
    const args = ["pitch", await matchFolder(), "--corners", CORNERS, "--size", SIZE];
    const { status, stdout, stderr } = await asi([...args, "--format", "csv"]);
    expect([status, stderr]).toEqual([0, ""]);
    const rows = tableOf(stdout);
    expect(rows.map(({ period, frames, players }) => [period, frames, players])).toEqual([
      ["", "600", "3"],
      ["1st half", "240", "3"],
      // Roth does not take part, and two players have no shape
      ["2nd half", "0", ""],
    ]);
    const [, first] = rows;
    expect(Number(first?.centroid_x_m)).toBeCloseTo(105 / 2, 0);
    expect(Number(first?.centroid_y_m)).toBeCloseTo((68 * (0.25 + 0.25 + 0.75)) / 3, 0);
    expect(Number(first?.length_m)).toBeCloseTo(105 / 2, 0);
    expect(Number(first?.width_m)).toBeCloseTo(68 / 2, 0);
    expect(Number(first?.surface_area_m2) / (((105 / 2) * (68 / 2)) / 2)).toBeCloseTo(1, 1);
    expect(rows[2]?.stretch_index_m).toBe("");
    const text = await asi(args);
    expect(text.stdout).toMatch(/^Pitch of 105\.0 x 68\.0 m, /);
    expect(text.stdout).toMatch(/\n2nd half +0 +–/);
  });

  it("excludes players who seem to be on the bench, and says so with the lines that `asi squad` suggests", async () => {
    const folder = await matchFolder(40, "Roth");
    const lines = (...more: string[]) =>
      writeFileSync(
        join(folder, "periods.csv"),
        `${["period,start,end,player", "1st half,12:30,13:10,", ...more].join("\n")}\n`,
      );
    lines();
    const args = ["pitch", folder, "--corners", CORNERS, "--format", "csv"];
    const suggested = await asi(args);
    expect(suggested.stderr).toContain("1 player seems to come on, go off or sit out. To change them,");
    expect(suggested.stderr).toContain("1st half,-,-,Roth");
    expect(tableOf(suggested.stdout)[1]?.players).toBe("");
    lines("1st half,-,-,Roth");
    const saved = await asi(args);
    expect([saved.stdout, saved.stderr]).toEqual([suggested.stdout, ""]);
  });

  it("prints a row for each frame on request", async () => {
    const folder = await matchFolder();
    writeFileSync(join(folder, "pitch.csv"), CORNERS.replaceAll(" ", "\n"));
    const { stdout } = await asi(["pitch", folder, "--each", "--every", "30s", "--format", "jsonl"]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.filter(({ period }) => period === "1st half").map(({ timestamp }) => timestamp)).toEqual(
      Array.from(
        { length: 8 },
        (_, i) => `2026-05-16T12:3${Math.floor(i / 2)}:${i % 2 === 0 ? "00" : "30"}.000Z`,
      ),
    );
  });

  it.each([
    [[], /corners of the pitch/],
    [["--corners", "46.9,7.4 46.9,7.5"], /but 2 are given/],
    [["--corners", `${NORTH},${WEST} ${NORTH},${EAST} ${SOUTH},${EAST} ${SOUTH},${WEST}`], /anticlockwise/],
    [["--corners", CORNERS, "--each"], /--each applies to csv/],
    [["--corners", CORNERS, "--every", "1ms"], /at least 40ms/],
    [["--corners", CORNERS, "--size", "105"], /105x68/],
    [["--corners", CORNERS, "-o", "shape.pdf"], /is not that of a known format/],
  ] as const)("refuses with a message that explains the required action: %j", async (args, message) => {
    const { status, stdout, stderr } = await asi(["pitch", await matchFolder(), ...args]);
    expect(status).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
  });

  it("reports periods outside the recordings, for example because of another time zone", async () => {
    const args = ["pitch", await matchFolder(), "--corners", CORNERS, "--tz", "Europe/Zurich"];
    expect((await asi(args)).stderr).toContain("1st half");
  });

  it("reports that hardly any player was on a pitch with wrong corners", async () => {
    const folder = await matchFolder();
    expect((await asi(["pitch", folder, "--corners", CORNERS])).stderr).toBe("");
    // one digit of each longitude
    const elsewhere = CORNERS.replaceAll("7.4", "7.5");
    const { status, stdout, stderr } = await asi(["pitch", folder, "--corners", elsewhere]);
    expect([status, stderr]).toEqual([
      0,
      "100 % of the positions are more than 30 m from this pitch. Check its corners\n",
    ]);
    expect(stdout).toMatch(/3\.0 +-\d+\.\d, \d+\.\d /);
  });

  it("reports why a team of two has no shape, and that a file with corners does not exist", async () => {
    const folder = await matchFolder();
    const two = ["Meier", "Graf"].map((name) => join(folder, `${name}.asi`));
    const { status, stderr } = await asi(["pitch", ...two, "--corners", CORNERS]);
    expect(status).toBe(0);
    expect(stderr).toContain("There are no figures, because they require 3 field players at the same time");
    const missing = await asi(["pitch", folder, "--corners", "corners.csv"]);
    expect([missing.status, missing.stderr]).toEqual([
      2,
      expect.stringContaining("corners.csv does not exist. Name a file with the four corners"),
    ]);
    expect((await asi(["pitch", folder, "--corners", folder])).stderr).toContain(
      "is not a file. Name a file",
    );
    const spaced = await asi(["pitch", folder, "--corners", "46.9 7.4 46.9 7.5 46.8 7.5 46.8 7.4"]);
    expect(spaced.stderr).toContain('"46.9" is not a corner: give latitude,longitude in degrees');
  });
});
