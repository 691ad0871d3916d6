import { expect, it } from "vitest";
import { united } from "../../src/squad/interval.js";

it("intervals that overlap or touch are merged, in ascending order, without changing the given intervals", () => {
  const given = [
    { startMs: 50, endMs: 60 },
    { startMs: 0, endMs: 10 },
    { startMs: 10, endMs: 20 },
    { startMs: 15, endMs: 18 },
    { startMs: 21, endMs: 30 },
  ];
  const before = structuredClone(given);
  expect(united(given)).toEqual([
    { startMs: 0, endMs: 20 },
    { startMs: 21, endMs: 30 },
    { startMs: 50, endMs: 60 },
  ]);
  expect(given).toEqual(before);
});
