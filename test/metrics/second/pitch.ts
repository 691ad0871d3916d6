import { expect } from "vitest";
import { type GeoPoint, type PitchCorners, pitchFrame, teamShape } from "../../../src/metrics/pitch/index.js";
import { xorshift } from "../figures/planted.js";
import { near } from "./peaks.js";
import type { Comparison } from "./tasks.js";

/** A pitch of random size, direction and place, with corners up to 1 m off, and up to 11 players on and beside it. */
export function pitchComparison(seed: number): Comparison {
  const uniform = xorshift(seed * 2861 + 9);
  const [length, width, turn] = [40 + 80 * uniform(), 20 + 60 * uniform(), 2 * Math.PI * uniform()];
  const middle = { latitude: 130 * uniform() - 65, longitude: 350 * uniform() - 175 };
  const metresPerDegree = 111_320;
  const place = (x: number, y: number): GeoPoint => ({
    latitude: middle.latitude + (x * Math.sin(turn) + y * Math.cos(turn)) / metresPerDegree,
    longitude:
      middle.longitude +
      (x * Math.cos(turn) - y * Math.sin(turn)) /
        (metresPerDegree * Math.cos((middle.latitude * Math.PI) / 180)),
  });
  const off = () => uniform() - 0.5;
  const corner = (sx: number, sy: number) => place((sx * length) / 2 + off(), (sy * width) / 2 + off());
  const corners: PitchCorners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  const players = Array.from({ length: Math.floor(12 * uniform()) }, () =>
    place(1.1 * length * off(), 1.1 * width * off()),
  );
  const degrees = ({ latitude, longitude }: GeoPoint) => [latitude, longitude];
  return {
    task: { figure: "pitch", corners: corners.map(degrees), players: players.map(degrees) },
    compare(answer) {
      const {
        frame,
        players: theirs,
        shape,
      } = answer as {
        frame: number[];
        players: number[][];
        shape: number[] | null;
      };
      const own = pitchFrame(corners);
      near([own.length, own.width, own.rotationDeg, own.cornerRms], frame, 1e-6);
      const points = players.map((player) => own.toPitch(player));
      points.forEach(({ x, y }, i) => {
        near([x, y], theirs[i], 1e-6);
      });
      const team = teamShape(points);
      if (team === null || shape === null) return expect(team).toBe(shape);
      const { centroid, stretch_index, surface_area, length: long, width: wide } = team;
      [centroid.x, centroid.y, stretch_index, surface_area, long, wide].forEach((value, i) => {
        expect(Math.abs(value - (shape[i] ?? 0))).toBeLessThanOrEqual(0.005_01);
      });
    },
  };
}
