import type { FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { acceptsGzip, requireAcceptable } from "./negotiation.js";

/** Returns a function that checks a request to an operation that sends JSON by default. */
const check =
  (accept: string | undefined, operation: object | undefined = { success: {} }) =>
  () =>
    requireAcceptable({
      headers: { accept },
      routeOptions: { config: { operation } },
    } as unknown as FastifyRequest);

const csv = { success: { mediaType: "text/csv" } };

describe("the Accept header", () => {
  it("is ignored above 1,024 characters", () => {
    const long = `${"text/html,".repeat(102)}a/b`;
    expect(check(`${long},c/d`)).not.toThrow();
    expect(check(long.slice(0, -4))).toThrow();
  });

  it.each([
    undefined,
    "",
    " ",
    "*/*",
    "application/*",
    "application/json",
    "application/json; charset=utf-8",
    "text/html, application/json;q=0.1",
  ])("allows JSON: %s", (accept) => {
    expect(check(accept)).not.toThrow();
  });

  it.each(["text/html", "application/json;q=0, text/*", "image/png, text/csv"])(
    "excludes JSON: %s",
    (accept) => {
      expect(check(accept)).toThrow(expect.objectContaining({ statusCode: 406, message: "Not acceptable" }));
    },
  );

  it("is compared with the media type of the operation", () => {
    expect(check("text/csv", csv)).not.toThrow();
    expect(check("application/json", csv)).toThrow(expect.objectContaining({ statusCode: 406 }));
  });

  it("is ignored if it is absent and by operations that opt out", () => {
    expect(check("text/html", { ...csv, ignoresAccept: true })).not.toThrow();
    expect(() =>
      requireAcceptable({
        headers: { accept: "text/html" },
        routeOptions: { config: {} },
      } as unknown as FastifyRequest),
    ).not.toThrow();
  });
});

describe("compression", () => {
  it.each([
    [undefined, false],
    ["", false],
    ["identity", false],
    ["gzip;q=0", false],
    ["deflate, br", false],
    ["gzip", true],
    ["gzip, deflate, br, zstd", true],
    ["*", true],
  ])("is used for clients that accept it: %s", (encoding, isAccepted) => {
    expect(acceptsGzip({ headers: { "accept-encoding": encoding } } as FastifyRequest)).toBe(isAccepted);
  });
});
