import { createConfig, lintFromString } from "@redocly/openapi-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, service, type TestService } from "./service.js";

let s: TestService;
let document: Answer;

beforeAll(async () => {
  s = await service();
  document = await s.get("/api/schema/");
});

describe("documentation", () => {
  it("row X5: is an OpenAPI 3.1 document that a linter passes", async () => {
    expect(document.body.openapi).toBe("3.1.0");
    const config = await createConfig({
      extends: ["recommended"],
      // The specification makes the slash mandatory, and everyone runs the service at an address of their own.
      rules: { "no-path-trailing-slash": "off", "no-server-example.com": "off" },
    });
    const problems = await lintFromString({ source: JSON.stringify(document.body), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it("row X5: tells of every operation its rights, its errors and an example", () => {
    for (const { id, path, method, success } of s.service.app.operations) {
      const entry = document.body.paths[path][method.toLowerCase()];
      expect(entry.operationId).toBe(id);
      expect(entry.description).toContain("Access: ");
      expect(Object.keys(entry.responses)).toEqual(
        expect.arrayContaining([String(success.status), "403", "429"]),
      );
      const content = entry.responses[success.status].content;
      if (success.schema !== undefined) expect(content["application/json"].example).toBeDefined();
    }
  });

  it("row X5: marks what is deprecated", () => {
    const deprecated = s.service.app.operations.filter((one) => one.deprecated).map(({ id }) => id);
    expect(deprecated).toEqual(
      expect.arrayContaining(["authorize", "retrieveManagerByExternalId", "setCustomName"]),
    );
    expect(document.body.paths["/api/v1/devices/{device}/set-custom-name/"].put.deprecated).toBe(true);
    expect(document.body.paths["/api/v1/devices/"].get.deprecated).toBeUndefined();
  });

  it("row X5: the page loads nothing from another host", async () => {
    const page = await s.get("/api/docs/");
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    for (const [, asset] of (page.body as string).matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await s.get(`/api/docs/${asset}`)).status).toBe(200);
    }
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
  });
});
