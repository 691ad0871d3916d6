import { describe, expect, it } from "vitest";
import type { Facts, Figures } from "../src/recording/recording.js";
import { areCopies } from "../src/recording/timeline.js";

const START_MS = Date.UTC(2025, 4, 17, 12);

const recording = (serial: string) => ({
  facts: { fileName: `${serial}.asi`, rows: 600, info: { deviceName: "T1", serial } } as Facts,
  startMs: START_MS,
  stopMs: START_MS + 60_000,
});
const figures = (total_distance: number) =>
  ({ rows: 600, recordedMs: 60_000, metrics: { total_distance } }) as Figures;

describe("copies of one recording", () => {
  it("have the same device, time and figures", () => {
    expect(areCopies([recording("A1"), recording("A1")], [figures(410), figures(410)])).toBe(true);
  });

  it("exclude recordings of team-mates whose devices share a name", () => {
    expect(areCopies([recording("A1"), recording("A2")], [figures(410), figures(410)])).toBe(false);
  });

  it("exclude recordings with a different or missing figure", () => {
    expect(areCopies([recording("A1"), recording("A1")], [figures(410), figures(411)])).toBe(false);
    expect(areCopies([recording("A1"), recording("A1")], [figures(410), null])).toBe(false);
  });
});
