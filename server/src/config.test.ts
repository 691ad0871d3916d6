import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";

describe("a service without settings", () => {
  it.each([
    { promise: "converts one file of a user at a time", bounds: { convertConcurrencyPerUser: 1 } },
    {
      promise: "cuts off clients slower than 16 KiB/s after 10 s",
      bounds: { transferMinBytesPerSecond: 16 * 1024, transferGraceMs: 10_000 },
    },
    { promise: "keeps 500 time frames of an activity", bounds: { activityMaxTimeframes: 500 } },
    {
      promise: "keeps 1,000 refresh tokens of an application",
      bounds: { refreshTokensPerApplication: 1_000 },
    },
    { promise: "refuses samples 5 minutes ahead of the clock", bounds: { bulkLoadMaxAheadMs: 5 * 60_000 } },
    { promise: "stores at most 5,000 chunks of a bulk load", bounds: { bulkLoadMaxChunks: 5_000 } },
    { promise: "lets 20 passwords fail", bounds: { throttleFailedPasswords: 20 } },
    { promise: "believes no proxy", bounds: { trustProxy: [] } },
    { promise: "calls no webhook in a private network", bounds: { webhookAllowPrivate: false } },
  ])("$promise", ({ bounds }) => {
    expect(readConfig({})).toMatchObject(bounds);
  });

  it("has a bound for everything that an account may store, and for every kind of call", () => {
    const bounds = Object.entries(readConfig({})).filter(([name]) =>
      /^(quota|throttle|bodyMemory)/.test(name),
    );
    expect(bounds).not.toEqual([]);
    for (const [name, bound] of bounds) expect([name, bound]).toEqual([name, expect.any(Number)]);
  });
});
