import { describe, expect, it } from "vitest";
import { readConfig } from "../config.js";
import { Pace } from "./pace.js";

const config = readConfig({ TRANSFER_MIN_BYTES_PER_SECOND: "16384", TRANSFER_GRACE_MS: "10000" });

/** Looks until the client is too slow. @returns after how many ms, or null when that is not within ten minutes */
function cutAfter(bytesAt: (ms: number) => number, creditMs = 0): number | null {
  const pace = new Pace(config, 0, creditMs);
  for (let ms = pace.intervalMs; ms <= 600_000; ms += pace.intervalMs) {
    if (pace.look(bytesAt(ms), true)) return ms;
  }
  return null;
}

describe("a transfer", () => {
  it("that stands still is cut off after 10 s, whenever it does", () => {
    expect(cutAfter(() => 0)).toBe(11_250);
    expect(cutAfter((ms) => Math.min(ms, 60_000) * 100)).toBe(71_250);
  });

  it("of a byte in 10 s, or half the pace, is cut off", () => {
    expect(cutAfter((ms) => Math.floor(ms / 10_000))).toBe(11_250);
    expect(cutAfter((ms) => ms * 8.192)).toBe(21_250);
  });

  it("that keeps the pace is not, though it comes in lumps", () => {
    expect(cutAfter((ms) => ms * 16.5)).toBeNull();
    expect(cutAfter((ms) => Math.floor(ms / 8_000) * 8_000 * 17)).toBeNull();
  });

  it("that was ahead may pause longer where it has credit", () => {
    expect(cutAfter((ms) => (ms < 40_000 ? 1e6 : 1e6), 60_000)).toBe(71_250);
  });

  it("that waits for the service is not judged", () => {
    const pace = new Pace(config, 0);
    for (let i = 0; i < 100; i++) expect(pace.look(0, false)).toBe(false);
  });
});
