import { describe, expect, it } from "vitest";
import { covers, isActive } from "./coverage.js";

const at = (hour: number) => new Date(Date.UTC(2024, 0, 1) + hour * 3_600_000);
const from = (start: number, end: number) => ({ startTime: at(start), expirationTime: at(end) });

describe("permissions over an interval", () => {
  it.each([
    ["one that is exactly as long", [from(10, 12)], true],
    ["one that is longer", [from(9, 13)], true],
    ["two that meet", [from(10, 11), from(11, 12)], true],
    ["two that overlap", [from(9, 11.5), from(11, 14)], true],
    ["a short one inside a long one", [from(9, 13), from(10, 11)], true],
    ["none", [], false],
    ["two with a gap between", [from(9, 11), from(11.001, 13)], false],
    ["one that begins late", [from(10.001, 13)], false],
    ["one that ends early", [from(9, 11.999)], false],
    ["one that has ended, and one that has not begun", [from(8, 10), from(12, 13)], false],
  ])("%s", (_, granted, covered) => {
    expect(covers(granted, at(10), at(12))).toBe(covered);
  });

  it("a permission is active from its start until just before its expiration", () => {
    expect([9.999, 10, 11.999, 12].map((hour) => isActive(from(10, 12), at(hour)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
