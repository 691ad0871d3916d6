import { describe, expect, it } from "vitest";
import { findRanges } from "../src/index.js";

describe("instants lie in one range", () => {
  it("when they are at most 300,000 ms apart, in either direction", () => {
    expect(findRanges([0, 300_000, 0])).toEqual([{ start: 0, stop: 0, size: 3 }]);
    expect(findRanges([0, 300_001])).toEqual([
      { start: 0, stop: 0, size: 1 },
      { start: 300_001, stop: 300_001, size: 1 },
    ]);
    expect(findRanges([300_001, 0])).toHaveLength(2);
    expect(findRanges(new Set<number>())).toEqual([]);
  });
});
