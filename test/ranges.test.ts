import { describe, expect, it, vi } from "vitest";
import { findRanges, inspect, withoutRanges } from "../src/index.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";

describe("instants are in one range", () => {
  it("if they are at most 300,000 ms apart, in either direction", () => {
    expect(findRanges([0, 300_000, 0])).toEqual([{ start: 0, stop: 0, size: 3 }]);
    expect(findRanges([0, 300_001])).toEqual([
      { start: 0, stop: 0, size: 1 },
      { start: 300_001, stop: 300_001, size: 1 },
    ]);
    expect(findRanges([300_001, 0])).toHaveLength(2);
    expect(findRanges(new Set<number>())).toEqual([]);
  });
});

describe("the ranges of a report", () => {
  const recording = (ranges: number) =>
    joined([asiInf(), ...Array.from({ length: ranges }, (_, i) => navPvt(civilTime(i * 300_001)))]);

  it.for([1_000, 12_000])("are complete, and the same list each time: %d", async (ranges) => {
    const { report } = await inspect(recording(ranges));
    const last = (ranges - 1) * 300_001;
    expect(report.ranges).toHaveLength(ranges);
    expect(report.ranges.at(-1)).toEqual({ start: last, stop: last, size: 1 });
    expect(report.ranges).toBe(report.ranges);
    expect(JSON.parse(JSON.stringify(report)).ranges).toHaveLength(ranges);
    expect({ ...report }.ranges).toBe(report.ranges);
  });

  it.for([0, 1, 12_000])("can be counted and left out without the list: %d", async (ranges) => {
    const { report } = await inspect(recording(ranges));
    const list = ranges > 10_000 ? vi.spyOn(report, "ranges", "get") : undefined;
    const { rest, count } = withoutRanges(report);
    if (list !== undefined) expect(list).not.toHaveBeenCalled();
    expect(count).toBe(ranges);
    expect({ ...rest, ranges: report.ranges }).toEqual(report);
  });

  it("are created at the first access if they are many", async () => {
    const listed = async (ranges: number) => {
      const { report } = await inspect(recording(ranges));
      return Object.getOwnPropertyDescriptor(report, "ranges")?.get === undefined;
    };
    expect(await listed(1_000)).toBe(true);
    expect(await listed(12_000)).toBe(false);
  });
});
