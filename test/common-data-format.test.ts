import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { asi, scratchFolder } from "./asi-process.js";
import { CORNERS, matchFolder, SIZE } from "./match-on-pitch.js";

// Debian's python, where the validator is installed: python3 -m pip install common-data-format-validator
const PYTHON = "/usr/bin/python3";
const hasValidator = spawnSync(PYTHON, ["-c", "import cdf"]).status === 0;
if (!hasValidator)
  console.warn("skipped: common-data-format-validator is not installed for /usr/bin/python3");

const nameOf = { type: "string", pattern: "^[a-z][a-z0-9_]*$" };
const metres = (most: number) => ({ type: "number", minimum: -most, maximum: most });

/**
 * The requirements of the versions 0.2.3 and 0.3.2 of the format for a line, and the members that both define.
 * `additionalProperties`
 * corresponds to the strictest mode of the validator.
 */
const LINE = {
  type: "object",
  required: ["frame_id", "timestamp", "period", "match", "teams", "ball"],
  additionalProperties: false,
  properties: {
    frame_id: { type: "integer" },
    timestamp: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$" },
    period: {
      enum: ["first_half", "second_half", "first_half_extratime", "second_half_extratime", "shootout"],
    },
    match: { type: "object", required: ["id"], additionalProperties: false, properties: { id: nameOf } },
    teams: {
      type: "object",
      required: ["home", "away"],
      additionalProperties: false,
      properties: { home: { $ref: "#/definitions/team" }, away: { $ref: "#/definitions/team" } },
    },
    // null is allowed here, and only here
    ball: {
      type: "object",
      required: ["x", "y", "z"],
      additionalProperties: false,
      properties: { x: { type: "null" }, y: { type: "null" }, z: { type: "null" } },
    },
  },
  definitions: {
    team: {
      type: "object",
      required: ["id", "players"],
      additionalProperties: false,
      properties: { id: nameOf, players: { type: "array", items: { $ref: "#/definitions/player" } } },
    },
    player: {
      type: "object",
      required: ["id", "x", "y"],
      additionalProperties: false,
      properties: {
        id: nameOf,
        x: metres(65),
        y: metres(42.5),
        vel: { type: "number" },
        lat: { type: "number" },
        long: { type: "number" },
      },
    },
  },
};

async function trackingFile(folder: string, ...options: string[]) {
  const output = join(scratchFolder(), "tracking.jsonl");
  const args = ["--corners", CORNERS, "--size", SIZE, "--format", "cdf", "-o", output];
  const { status, stderr } = await asi(["pitch", folder, ...args, ...options]);
  expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
  const lines = readFileSync(output, "utf8").trimEnd().split("\n");
  return { output, stderr, frames: lines.map((line) => JSON.parse(line)) };
}

function writePeriods(folder: string, ...rows: string[]): void {
  writeFileSync(join(folder, "periods.csv"), ["period,start,end", ...rows, ""].join("\n"));
}

describe("asi pitch --format cdf", () => {
  it("writes the members that the Common Data Format requires, and reports unsupported data", async () => {
    const { frames, stderr } = await trackingFile(await matchFolder());
    expect(stderr).toContain("the positions of the ball are null");
    const isLine = new Ajv({ allErrors: true }).compile(LINE);
    for (const frame of frames) {
      isLine(frame);
      expect(isLine.errors ?? []).toEqual([]);
    }
    expect(frames.map(({ frame_id }) => frame_id)).toEqual(Array.from({ length: 480 }, (_, i) => i));
    expect(frames.map(({ period }) => period)).toEqual(
      frames.map((_, i) => (i < 240 ? "first_half" : "second_half")),
    );
    const { players } = frames[0].teams.home;
    expect(players.map(({ id }: { id: string }) => id)).toEqual(["keller", "meier", "graf", "roth"]);
    const [keller] = players;
    // the origin is the middle of the pitch
    expect(keller.x).toBeCloseTo(105 * (0.05 - 0.5), 0);
    expect(Math.abs(keller.y)).toBeLessThan(0.5);
    expect(keller.vel).toBe(1.5);
    expect(frames[0].teams.away.players).toEqual([]);
    expect(frames[300].teams.home.players).toHaveLength(3);
  });

  it("names the halves of extra time", async () => {
    const folder = await matchFolder();
    const extra = ["1st half of extra time,12:36,12:37", "2nd half of extra time,12:38,12:39"];
    writePeriods(folder, "1st half,12:30,12:32", "2nd half,12:33,12:35", ...extra);
    const { frames } = await trackingFile(folder, "--every", "30s");
    const periods = ["first_half", "second_half", "first_half_extratime", "second_half_extratime"];
    const counts = [4, 4, 2, 2];
    expect(frames.map(({ period }) => period)).toEqual(
      periods.flatMap((period, i) => Array(counts[i]).fill(period)),
    );
  });

  it("omits breaks and drills whose names contain a word for half", async () => {
    const folder = await matchFolder();
    const others = ["Half pitch warm-up,12:28,12:29", "Half-time,12:32,12:33"];
    writePeriods(folder, ...others, "1st half,12:30,12:32", "2nd half,12:33,12:35");
    const { frames, stderr } = await trackingFile(folder, "--every", "30s");
    expect(frames.map(({ period }) => period)).toEqual(
      ["first_half", "second_half"].flatMap((period) => Array(4).fill(period)),
    );
    expect(stderr).toContain("does not support Half pitch warm-up, Half-time; omitted");
  });

  it.each([
    ["none", "0", ["Drill,12:30,12:34"]],
    ["three", "3", ["1st half,12:30,12:32", "2nd half,12:33,12:35", "3rd half,12:36,12:37"]],
  ] as const)("asks for two halves if there are %s", async (_, count, rows) => {
    const folder = await matchFolder();
    writePeriods(folder, ...rows);
    const { status, stderr } = await asi(["pitch", folder, "--corners", CORNERS, "--format", "cdf"]);
    expect(status).toBe(2);
    expect(stderr).toContain(`${count} of the periods have names of halves`);
    expect(stderr).toContain('Name two periods "1st half" and "2nd half"');
  });

  it.skipIf(!hasValidator)(
    "is accepted by the validator of the format, except the unknown ball",
    async () => {
      const { output, frames } = await trackingFile(await matchFolder());
      const program = `
import sys, warnings, cdf
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    cdf.TrackingSchemaValidator().validate_schema(sample=sys.argv[1], limit=None)
print("\\n".join(str(one.message) for one in found))`;
      const { status, stdout, stderr } = spawnSync(PYTHON, ["-c", program, output], { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
      // Its schema allows null. Its check of coordinates, which is not part of the schema, does not.
      const isBall = /^Coordinate '[xy]' must be a number at path '.*\.ball\.[xy]'$/;
      const texts = stdout.trim().split("\n");
      expect(texts.filter((text) => !isBall.test(text))).toEqual([]);
      expect(texts).toHaveLength(2 * frames.length);
    },
  );
});
