import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { withoutExtension } from "./path-extension.js";

const rewritten = (url: string, headers: IncomingHttpHeaders = {}, method = "GET") => [
  withoutExtension({ method, url, headers }),
  headers.accept,
];

describe("the extension of a path", () => {
  it("replaces the header Accept", () => {
    expect(rewritten("/api/v2/sessions/7/figures.csv?tz=UTC", { accept: "*/*" })).toEqual([
      "/api/v2/sessions/7/figures/?tz=UTC",
      "text/csv",
    ]);
    expect(rewritten("/api/v2/sessions/7/periods.json")).toEqual([
      "/api/v2/sessions/7/periods/",
      "application/json",
    ]);
    expect(rewritten("/api/v2/samples.arrows")).toEqual([
      "/api/v2/samples/",
      "application/vnd.apache.arrow.stream",
    ]);
    expect(rewritten("/api/v2/devices/3/samples.parquet?from=a.csv")).toEqual([
      "/api/v2/devices/3/samples/?from=a.csv",
      "application/vnd.apache.parquet",
    ]);
  });

  it("is ignored when something is sent", () => {
    const url = "/api/v2/sessions/7/periods.csv";
    expect(rewritten(url, { accept: "text/plain" }, "PUT")).toEqual([url, "text/plain"]);
  });

  it("is ignored on other paths and for other formats", () => {
    for (const url of [
      "/api/v2/sessions/7/figures/",
      "/api/v2/sessions/7/figures/?name=figures.csv",
      "/api/v2/sessions/7/figures.arrows",
      "/api/v2/sessions/7/samples.xlsx",
      "/api/v2/sessions/7/samples.constructor",
      "/api/v2/sessions/7/figures.csv/",
      "/api/v2/sessions/7/8/figures.csv",
      "/api/v2/__proto__.csv",
      "/files/figures.csv",
    ])
      expect(rewritten(url, { accept: "text/plain" })).toEqual([url, "text/plain"]);
  });
});
