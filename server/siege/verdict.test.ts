import { expect, it } from "vitest";
import { broken, outcomeOf, TARGETS } from "./verdict.js";

const outcomeWith = (resent: number) =>
  outcomeOf(
    { name: "peace", as: "anyone" },
    "",
    { latenciesMs: [10], slowest: null, errors: [], webhookDelaysMs: [], resent },
    { longestDelayMs: 1, peakMemoryMb: 100 },
  );

it("an attack is broken if the service closes more than two connections of the bystander before the response", () => {
  expect(broken(outcomeWith(2), TARGETS)).toEqual([]);
  expect(broken(outcomeWith(3), TARGETS)).toEqual(["3 connections closed before the response"]);
});
