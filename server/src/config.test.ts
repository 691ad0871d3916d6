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
    { promise: "lets pages of no other origin use the API", bounds: { corsOrigins: [] } },
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

describe("the address of the API", () => {
  it.each([
    ["https://sports.example.org/tracking/", "https://sports.example.org/tracking"],
    ["https://sports.example.org", "https://sports.example.org"],
    ["", null],
  ])("BASE_URL=%s: paths are appended to %s", (BASE_URL, baseUrl) => {
    expect(readConfig({ BASE_URL }).baseUrl).toBe(baseUrl);
  });

  it.each(["sports.example.org", "ftp://sports.example.org", "https://sports.example.org/?a=1"])(
    "BASE_URL=%s is refused",
    (BASE_URL) => {
      expect(() => readConfig({ BASE_URL })).toThrow("BASE_URL: expected a URL");
    },
  );
});

describe("origins of other pages", () => {
  it("are a list, or all", () => {
    const CORS_ORIGINS = "https://app.example.org, http://localhost:5173";
    expect(readConfig({ CORS_ORIGINS }).corsOrigins).toEqual([
      "https://app.example.org",
      "http://localhost:5173",
    ]);
    expect(readConfig({ CORS_ORIGINS: "*" }).corsOrigins).toEqual(["*"]);
  });

  // A browser's Origin would never be equal to one of these.
  it.each([
    "https://app.example.org/",
    "app.example.org",
    "https://App.example.org",
    "https://a.example.org/x",
  ])("%s is refused", (CORS_ORIGINS) => {
    expect(() => readConfig({ CORS_ORIGINS })).toThrow("expected origins such as");
  });
});
