import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encode } from "../src/recording/encode.js";
import { asi, scratchFolder } from "./asi-process.js";
import { tableOf } from "./csv-table.js";
import { wholeBytes } from "./whole.js";

const START_MS = Date.UTC(2026, 4, 16, 12, 30);
const SECONDS = 600;
const [SOUTH, WEST] = [46.9626, 7.4641];
const [NORTH, EAST] = [46.963212, 7.46548];
const CORNERS = `${SOUTH},${WEST} ${SOUTH},${EAST} ${NORTH},${EAST} ${NORTH},${WEST}`;
/** The middle of a pitch of 105 x 68 m is at 52.5 and 34. */
const SIZE = "105x68";

/** Players who stand: shares of the pitch along and across. */
const PLACES = { Keller: [0.05, 0.5], Meier: [0.25, 0.25], Graf: [0.75, 0.25], Roth: [0.5, 0.75] } as const;

async function matchFolder(): Promise<string> {
  const folder = scratchFolder();
  for (const [i, [name, [along, across]]] of Object.entries(PLACES).entries()) {
    const rows = Array.from({ length: SECONDS }, (_, second) => ({
      timestamp: START_MS + second * 1000,
      latitude: SOUTH + (NORTH - SOUTH) * across,
      longitude: WEST + (EAST - WEST) * along,
      speed: 1.5,
    }));
    const bytes = await wholeBytes(encode(rows, { serial: `TRK-${i + 1}` }));
    writeFileSync(join(folder, `${name}.asi`), bytes);
  }
  const roster = [
    "player,file,position",
    "Keller,Keller,GK",
    "Meier,Meier,DF",
    "Graf,Graf,MF",
    "Roth,Roth,FW",
  ];
  writeFileSync(join(folder, "roster.csv"), `${roster.join("\n")}\n`);
  const periods = [
    "period,start,end,player",
    "1st half,12:30,12:34,",
    "2nd half,12:35,12:39,",
    "2nd half,-,-,Roth",
  ];
  writeFileSync(join(folder, "periods.csv"), `${periods.join("\n")}\n`);
  return folder;
}

describe("asi pitch", () => {
  it("has the shape of the team for the session and each period, without the goalkeeper", async () => {
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

  it("has a row for each frame on request", async () => {
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

  it("writes a tracking file in the Common Data Format, and reports unsupported data", async () => {
    const folder = await matchFolder();
    const output = join(folder, "tracking.jsonl");
    const { status, stderr } = await asi([
      "pitch",
      folder,
      "--corners",
      CORNERS,
      "--size",
      SIZE,
      "--format",
      "cdf",
      "-o",
      output,
    ]);
    expect(status).toBe(0);
    expect(stderr).toContain("the positions of the ball are null");
    const lines = readFileSync(output, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(480);
    for (const [i, line] of lines.entries()) {
      // what the schema of version 0.2.3 requires
      expect(Object.keys(line)).toEqual(["frame_id", "timestamp", "period", "match", "teams", "ball"]);
      expect(line).toMatchObject({
        frame_id: i,
        ball: { x: null, y: null, z: null },
        teams: { away: { players: [] } },
      });
      expect(line.period).toBe(i < 240 ? "first_half" : "second_half");
      expect(line.match.id).toMatch(/^[\p{Ll}\p{N}_]+$/u);
    }
    const { players } = lines[0].teams.home;
    expect(players.map(({ id }: { id: string }) => id)).toEqual(["keller", "meier", "graf", "roth"]);
    const [keller] = players;
    // the origin is the middle of the pitch
    expect(keller.x).toBeCloseTo(105 * (0.05 - 0.5), 0);
    expect(Math.abs(keller.y)).toBeLessThan(0.5);
    expect(keller.vel).toBe(1.5);
    expect(lines[300].teams.home.players).toHaveLength(3);
  });

  it.each([
    [[], /corners of the pitch/],
    [["--corners", "46.9,7.4 46.9,7.5"], /these are 2/],
    [["--corners", `${NORTH},${WEST} ${NORTH},${EAST} ${SOUTH},${EAST} ${SOUTH},${WEST}`], /anticlockwise/],
    [["--corners", CORNERS, "--each"], /--each applies to csv/],
    [["--corners", CORNERS, "--every", "1ms"], /at least 40ms/],
    [["--corners", CORNERS, "--size", "105"], /105x68/],
    [["--corners", CORNERS, "-o", "shape.pdf"], /is not a known format/],
  ] as const)("refuses with a message that explains the required action: %j", async (args, message) => {
    const { status, stdout, stderr } = await asi(["pitch", await matchFolder(), ...args]);
    expect(status).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
  });

  it("reports that periods are not within the recordings, for example because of another time zone", async () => {
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
    expect(stderr).toContain("There are no figures: they need 3 field players at the same time");
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

  it("asks for the halves if a tracking file has none", async () => {
    const folder = await matchFolder();
    writeFileSync(join(folder, "periods.csv"), "period,start,end\nDrill,12:30,12:34\n");
    const { status, stderr } = await asi(["pitch", folder, "--corners", CORNERS, "--format", "cdf"]);
    expect(status).toBe(2);
    expect(stderr).toContain('Name two periods "1st half" and "2nd half"');
  });
});
