import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { heatMap, type PitchCorners, pitchFrame, teamShape } from "../../src/metrics/pitch/index.js";
import { convexHull } from "../../src/metrics/pitch/team-shape.js";
import { CORPUS, committed, expected } from "./figures/corpus.js";

// A pitch of 105 x 68 m, rotated by 31 degrees, was projected onto the ellipsoid; expected/pitch.json is from an independent program.

const rowsIn = (name: string) =>
  readFileSync(new URL(`figures/data/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
const corners = rowsIn("pitch_corners.csv").map(([, lat, lon]) => ({
  latitude: Number(lat),
  longitude: Number(lon),
})) as unknown as PitchCorners;
const players = rowsIn("pitch_players.csv").map(([, lat, lon, x, y]) => ({
  place: { latitude: Number(lat), longitude: Number(lon) },
  truth: { x: Number(x), y: Number(y) },
}));

interface Shape {
  centroid: [number, number];
  stretch_index: number;
  surface_area: number;
  hull_points: number;
  team_length: number;
  team_width: number;
}
interface Frame {
  length: number;
  width: number;
  rotation_deg: number;
  corner_rms: number;
}
const golden = expected<{
  estimated_frame: Frame;
  frame_with_105_68: Frame;
  players: [number, number][];
  largest_error_m: number;
  team: Shape;
  team_truth: Shape;
  square_truth: Shape;
  truth: Omit<Frame, "corner_rms">;
  heat_map_5_m_cells: Record<string, number>;
}>("pitch.json");

describe("a pitch", () => {
  it.each(["estimated_frame", "frame_with_105_68"] as const)(
    "equals the result of the independent program: %s",
    (name) => {
      const wanted = golden[name];
      const frame = pitchFrame(corners, name === "estimated_frame" ? {} : { length: 105, width: 68 });
      expect(frame.length).toBeCloseTo(wanted.length, 6);
      expect(frame.width).toBeCloseTo(wanted.width, 6);
      expect(frame.rotationDeg).toBeCloseTo(wanted.rotation_deg, 6);
      expect(frame.cornerRms).toBeCloseTo(wanted.corner_rms, 6);
      expect(frame.length).toBeCloseTo(golden.truth.length, 3);
      expect(frame.width).toBeCloseTo(golden.truth.width, 3);
      expect(frame.rotationDeg).toBeCloseTo(golden.truth.rotation_deg, 3);
    },
  );

  it("has its players at their planted positions, within a millimetre", () => {
    const { toPitch } = pitchFrame(corners, { length: 105, width: 68 });
    const errors = players.map(({ place, truth }) => {
      const { x, y } = toPitch(place);
      return Math.hypot(x - truth.x, y - truth.y);
    });
    expect(Math.max(...errors)).toBeLessThan(0.001);
    expect(Math.max(...errors)).toBeCloseTo(golden.largest_error_m, 6);
    players.forEach(({ place }, i) => {
      const { x, y } = toPitch(place);
      expect(x).toBeCloseTo(golden.players[i]?.[0] ?? 0, 6);
      expect(y).toBeCloseTo(golden.players[i]?.[1] ?? 0, 6);
    });
  });

  it("can lie across the date line", () => {
    const shifted = corners.map(({ latitude, longitude }) => {
      const east = longitude - 8.5461 + 180;
      return { latitude, longitude: east > 180 ? east - 360 : east };
    }) as unknown as PitchCorners;
    expect(new Set(shifted.map(({ longitude }) => Math.sign(longitude))).size).toBe(2);
    expect(pitchFrame(shifted).length).toBeCloseTo(105, 3);
  });

  it("is refused if a corner is distant, if the corners are clockwise, or if there are not four", () => {
    const [a, b, c, d] = corners;
    const moved = { ...a, latitude: a.latitude + 0.0001 };
    expect(() => pitchFrame([moved, b, c, d])).toThrow(/m off a pitch of .*; at most 1\.5 m are accepted/);
    expect(() => pitchFrame([a, d, c, b])).toThrow(/Give them anticlockwise/);
    expect(() => pitchFrame([a, b, c] as never)).toThrow(/four objects \{ latitude, longitude \}/);
    expect(() => pitchFrame([a, a, a, a])).toThrow(/less than 1 m apart/);
    expect(() => pitchFrame(corners, { length: 0 })).toThrow(/length is 0; it must be from 1/);
  });

  it.skipIf(CORPUS === null)("the golden files in the repository equal those of the corpus", () => {
    expect(JSON.parse(committed("pitch.json"))).toEqual(expected("pitch.json"));
  });
});

describe("the shape of a team", () => {
  it("equals the result of the independent program", () => {
    const { toPitch } = pitchFrame(corners, { length: 105, width: 68 });
    const shape = teamShape(players.map(({ place }) => toPitch(place)));
    const { team, team_truth: truth } = golden;
    expect(convexHull(players.map(({ place }) => toPitch(place)))).toHaveLength(team.hull_points);
    expect(shape?.centroid.x).toBeCloseTo(truth.centroid[0], 1);
    expect(shape?.stretch_index).toBeCloseTo(truth.stretch_index, 1);
    expect(Math.abs((shape?.surface_area ?? 0) - truth.surface_area)).toBeLessThan(0.01);
    for (const [own, theirs] of [
      [shape?.centroid.x, team.centroid[0]],
      [shape?.centroid.y, team.centroid[1]],
      [shape?.stretch_index, team.stretch_index],
      [shape?.surface_area, team.surface_area],
      [shape?.length, team.team_length],
      [shape?.width, team.team_width],
    ] as const)
      expect(own).toBe(Math.floor(theirs * 100 + 0.5) / 100);
  });

  it("matches a manual computation for a square with a player in its middle; two players have no shape", () => {
    const square = [
      { x: 0, y: 0 },
      { x: 10, y: 0 },
      { x: 10, y: 10 },
      { x: 0, y: 10 },
      { x: 5, y: 5 },
    ];
    // four players 7.071 m away, one 0 m
    const { centroid, stretch_index, surface_area, team_length, team_width } = golden.square_truth;
    expect(teamShape(square)).toEqual({
      centroid: { x: centroid[0], y: centroid[1] },
      stretch_index: Math.round(stretch_index * 100) / 100,
      surface_area,
      length: team_length,
      width: team_width,
    });
    expect(convexHull(square)).toHaveLength(golden.square_truth.hull_points);
    expect(teamShape(square.slice(0, 2))).toBeNull();
    expect(teamShape([1, 2, 3].map((x) => ({ x, y: x })))?.surface_area).toBe(0);
  });
});

describe("a heat map", () => {
  const size = { length: 105, width: 68 };

  it("equals the cells of the independent program", () => {
    const { toPitch } = pitchFrame(corners, size);
    const positions = players.map(({ place }) => toPitch(place));
    // each position twice, 1 s apart, so that each is valid for 1 s
    const { columns, rows, durationMs } = heatMap(
      positions.flatMap((_, i) => [1e6 * i, 1e6 * i + 1000, 1e6 * i + 1000]),
      positions.flatMap((position) => [position, position, position]),
      size,
    );
    const cells: Record<string, number> = {};
    durationMs.forEach((ms, i) => {
      if (ms > 0) cells[`${i % columns},${Math.floor(i / columns)}`] = ms;
    });
    expect([columns, rows]).toEqual([21, 14]);
    // the independent program counts positions, and each is valid for 1 s here
    expect(cells).toEqual(
      Object.fromEntries(
        Object.entries(golden.heat_map_5_m_cells).map(([cell, positions]) => [cell, 1000 * positions]),
      ),
    );
  });

  it("keeps a position until the next one, but not across a gap, and counts positions outside the pitch in the nearest cell", () => {
    const outside = { x: -3, y: 70 };
    const times = [0, 100, 200, 300, 400, 5000, 5100];
    const positions = [{ x: 7, y: 0 }, ...times.slice(1).map(() => outside)];
    const { durationMs, columns, rows } = heatMap(times, positions, size);
    expect(durationMs[1]).toBe(100);
    expect(durationMs[(rows - 1) * columns]).toBe(400);
    expect(durationMs.reduce((sum, ms) => sum + ms)).toBe(500);
  });

  it.each([40, 100, 1000, 3000])(
    "is weighted by time: a minute with a row every %i ms counts as a minute",
    (stepMs) => {
      const fast = Array.from({ length: 600 }, (_, i) => ({ t: 100 * i, at: { x: 7, y: 0 } }));
      const other = Array.from({ length: 60_000 / stepMs + 1 }, (_, i) => ({
        t: 60_000 + stepMs * i,
        at: { x: 50, y: 30 },
      }));
      const rows = [...fast, ...other];
      const { durationMs } = heatMap(
        rows.map(({ t }) => t),
        rows.map(({ at }) => at),
        size,
      );
      expect([...durationMs].filter((ms) => ms > 0)).toEqual([60_000, 60_000]);
    },
  );
});
