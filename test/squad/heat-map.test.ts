import { describe, expect, it } from "vitest";
import { squadMembers } from "../../src/squad/index.js";
import { heatMapSvg } from "../../src/squad-report/heat-map.js";
import { recordingOfRows, rowsAt } from "./recordings.js";

const ground = {
  widthM: 40,
  heightM: 20,
  isInPlay: () => true,
  toPlane: (latitudeE7: number, longitudeE7: number) => ({ x: longitudeE7, y: latitudeE7 }),
};

/** A minute at one place with ten rows a second, and one at another place with a row every `stepMs`. */
function mapOf(stepMs: number, endMs = 120_000) {
  const times = [
    ...Array.from({ length: 600 }, (_, i) => 100 * i),
    ...Array.from({ length: 60_000 / stepMs + 1 }, (_, i) => 60_000 + stepMs * i),
  ];
  const samples = rowsAt(times);
  times.forEach((ms, i) => {
    samples.latitudeE7[i] = 10;
    samples.longitudeE7[i] = ms < 60_000 ? 10 : 30;
  });
  const [member] = squadMembers([recordingOfRows("A", samples)], null);
  if (member === undefined) throw new Error("no member");
  return heatMapSvg(member, [{ startMs: 0, endMs }], ground, "A");
}

describe("the heat map of a report", () => {
  it.each([1000, 3000])(
    "is weighted by time: a row every %i ms has the same result as ten rows per second",
    (stepMs) => {
      expect(mapOf(stepMs)).toBe(mapOf(100));
      expect(mapOf(stepMs, 61_500)).toBe(mapOf(100, 61_500));
    },
  );

  it("is absent without time in the period", () => {
    expect(mapOf(100, 0)).toBeNull();
  });
});
