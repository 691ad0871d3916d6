import { describe, expect, it } from "vitest";
import { nextAttempt, parseRetryAfter } from "./retry-schedule.js";

const now = new Date("2024-01-01T00:00:00.000Z");
const waits = (attempts: number, retryAfterMs?: number, random = () => 0) => {
  const at = nextAttempt(attempts, now, retryAfterMs, random);
  return at && at.getTime() - now.getTime();
};
const HOUR_MS = 3_600_000;

describe("the schedule of attempts", () => {
  it("waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, and gives up after the seventh attempt", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((attempts) => waits(attempts))).toEqual([
      5_000,
      300_000,
      1_800_000,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      undefined,
    ]);
  });

  it("adds a random delay of up to a tenth to each wait", () => {
    expect(waits(1, undefined, () => 0.999999)).toBeLessThanOrEqual(5_500);
    expect(waits(1, undefined, () => 0.5)).toBe(5_250);
    const spread = new Set(Array.from({ length: 50 }, () => nextAttempt(6, now, undefined)?.getTime()));
    expect(spread.size).toBeGreaterThan(1);
  });

  it("respects Retry-After up to one day, but never calls earlier than planned", () => {
    expect(waits(1, 60_000)).toBe(60_000);
    expect(waits(2, 60_000)).toBe(300_000);
    expect(waits(1, 48 * HOUR_MS)).toBe(24 * HOUR_MS);
    expect(waits(1, Number.POSITIVE_INFINITY)).toBe(24 * HOUR_MS);
    expect(waits(7, 60_000)).toBeUndefined();
  });

  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["9".repeat(400), Number.POSITIVE_INFINITY],
    ["Mon, 01 Jan 2024 01:00:00 GMT", HOUR_MS],
    ["Sun, 31 Dec 2023 00:00:00 GMT", 0],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("reads Retry-After: %s", (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms);
  });
});
