import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { END_TIMEOUT_MS } from "../process/end-process.js";
import { readConfig } from "./config.js";
import { settings } from "./settings.js";

describe("a service without settings", () => {
  it.each([
    { promise: "converts one file per user at a time", bounds: { convertConcurrencyPerUser: 1 } },
    {
      promise: "cuts off clients slower than 16 KiB/s after 10 s",
      bounds: { transferMinBytesPerSecond: 16 * 1024, transferGraceMs: 10_000 },
    },
    { promise: "allows 500 time frames per activity", bounds: { activityMaxTimeframes: 500 } },
    {
      promise: "keeps 1,000 refresh tokens of an application",
      bounds: { refreshTokensPerApplication: 1_000 },
    },
    { promise: "refuses samples 5 minutes ahead of the clock", bounds: { bulkLoadMaxAheadMs: 5 * 60_000 } },
    { promise: "stores at most 5,000 chunks of a bulk load", bounds: { bulkLoadMaxChunks: 5_000 } },
    { promise: "allows 20 wrong passwords", bounds: { throttleFailedPasswords: 20 } },
    { promise: "trusts no proxy", bounds: { trustProxy: [] } },
    { promise: "does not allow pages of other origins to use the API", bounds: { corsOrigins: [] } },
    { promise: "does not call webhooks in private networks", bounds: { webhookAllowPrivate: false } },
  ])("$promise", ({ bounds }) => {
    expect(readConfig({})).toMatchObject(bounds);
  });

  it("has a limit for everything that an account can store and for every kind of request", () => {
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
  it("are a list or *", () => {
    const CORS_ORIGINS = "https://app.example.org, http://localhost:5173";
    expect(readConfig({ CORS_ORIGINS }).corsOrigins).toEqual([
      "https://app.example.org",
      "http://localhost:5173",
    ]);
    expect(readConfig({ CORS_ORIGINS: "*" }).corsOrigins).toEqual(["*"]);
  });

  // The Origin of a browser never equals one of these.
  it.each([
    "https://app.example.org/",
    "app.example.org",
    "https://App.example.org",
    "https://a.example.org/x",
  ])("%s is refused", (CORS_ORIGINS) => {
    expect(() => readConfig({ CORS_ORIGINS })).toThrow("expected origins such as");
  });
});

describe("the files for operators", () => {
  const VARIABLES = new Set<string>(Object.values(settings).map(({ env }) => env));
  const file = (path: string) => readFileSync(join(import.meta.dirname, "../../..", path), "utf8");
  const named = (path: string, pattern: RegExp) =>
    [...file(path).matchAll(pattern)].map(([, name = ""]) => name);

  it.each([
    [".env.example", /^#?([A-Z_]+)=/gm],
    ["compose.yaml", /^ {6}((?!POSTGRES_)[A-Z_]+): /gm],
    ["Dockerfile", /(?<=ENV .*)([A-Z_]{4,})(?==)/g],
    ["deploy/asi-server.service", /(?<=^#?Environment=.*)([A-Z_]+)(?==)/gm],
  ])("%s contains only existing settings", (path, pattern) => {
    // variables of Node.js and of the allocator of glibc
    const names = named(path, pattern).filter((name) => !/^(NODE_ENV$|MALLOC_)/.test(name));
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect(VARIABLES).toContain(name.replace(/_FILE$/, ""));
  });

  it("compose.yaml has values that the service accepts", () => {
    const DATABASE_URL = /DATABASE_URL: (\S+)/.exec(file("compose.yaml"))?.[1];
    expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
  });

  it("give a stopping process more time than it needs", () => {
    const seconds = (path: string, pattern: RegExp) => Number(pattern.exec(file(path))?.[1]);
    const needed = (readConfig({}).shutdownTimeoutMs + END_TIMEOUT_MS) / 1000;
    expect(seconds("compose.yaml", /stop_grace_period: (\d+)s/)).toBeGreaterThan(needed);
    expect(seconds("deploy/asi-server.service", /TimeoutStopSec=(\d+)/)).toBeGreaterThan(needed);
  });
});

describe("the settings of the OpenID provider", () => {
  const complete = { OPENID_ISSUER: "https://id.example.org/realms/club", OPENID_CLIENT_ID: "asi" };

  it.each(["https://id.example.org", "http://127.0.0.1:9000", "http://[::1]:9000/club", "http://localhost"])(
    "allow %s as the issuer",
    (OPENID_ISSUER) => {
      expect(readConfig({ ...complete, OPENID_ISSUER }).openidIssuer).toBe(OPENID_ISSUER);
    },
  );

  it.each([
    "http://id.example.org",
    "http://10.0.0.1",
    "id.example.org",
    "https://a:b@id.example.org",
    "https://id.example.org?x=1",
  ])("refuse %s as the issuer", (OPENID_ISSUER) => {
    expect(() => readConfig({ ...complete, OPENID_ISSUER })).toThrow(/OPENID_ISSUER: expected a URL/);
  });

  it.each([
    [{ OPENID_ISSUER: complete.OPENID_ISSUER }, /OPENID_CLIENT_ID: required/],
    [{ ...complete, OPENID_CREATE_ACCOUNTS: "true" }, /OPENID_ROLES: required/],
    [
      { ...complete, OPENID_ROLES: '{"Staff": ["manager"], "1001": ["athlete"]}' },
      /"1001": a group whose name/,
    ],
    [{ PASSWORD_SIGN_IN: "false" }, /PASSWORD_SIGN_IN: false requires OPENID_ISSUER/],
    [{ ...complete, OPENID_SCOPES: "profile" }, /OPENID_SCOPES: expected scopes/],
  ])("refuse %o, which would let nobody sign in", (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});
