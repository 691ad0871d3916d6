import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";

describe("a service without settings", () => {
  it("keeps one caller from taking what all share", () => {
    expect(readConfig({})).toMatchObject({
      convertConcurrencyPerUser: 1,
      transferMinBytesPerSecond: 16 * 1024,
      transferGraceMs: 10_000,
      activityMaxTimeframes: 500,
      refreshTokensPerApplication: 1_000,
      bulkLoadMaxAheadMs: 5 * 60_000,
      bulkLoadMaxChunks: 5_000,
      throttleFailedPasswords: 20,
      trustProxy: [],
      webhookAllowPrivate: false,
    });
  });

  it("has a bound for everything that an account may store, and for every kind of call", () => {
    const bounds = Object.entries(readConfig({})).filter(([name]) =>
      /^(quota|throttle|bodyMemory)/.test(name),
    );
    expect(bounds.length).toBeGreaterThan(15);
    for (const [name, bound] of bounds) expect([name, bound]).toEqual([name, expect.any(Number)]);
  });
});
