import { expect, it } from "vitest";
import { BUSY_TARGETS, broken, isOnlySlow, outcomeOf, TARGETS } from "./verdict.js";

const outcomeWith = (resent: number) =>
  outcomeOf(
    { name: "before the attacks", as: "anyone" },
    "",
    { latenciesMs: [10], slowest: null, errors: [], webhookDelaysMs: [], resent },
    { longestDelayMs: 1, peakMemoryMb: 100 },
  );

it("an attack is broken if the service closes more than two connections of the bystander before the response", () => {
  expect(broken(outcomeWith(2), TARGETS)).toEqual([]);
  expect(broken(outcomeWith(3), TARGETS)).toEqual(["3 connections closed before the response"]);
});

it("an attack is repeated if only durations were missed, but not after a fault", () => {
  const slow = { ...outcomeWith(0), p90Ms: 2_501 };
  expect(isOnlySlow(outcomeWith(0), BUSY_TARGETS)).toBe(false);
  expect(isOnlySlow(slow, BUSY_TARGETS)).toBe(true);
  expect(isOnlySlow({ ...slow, errors: ["GET / 500"] }, BUSY_TARGETS)).toBe(false);
  expect(isOnlySlow({ ...slow, resent: 3 }, BUSY_TARGETS)).toBe(false);
  expect(isOnlySlow({ ...outcomeWith(0), longestDelayMs: 1_001 }, BUSY_TARGETS)).toBe(true);
});
