import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lintFromString, loadConfig } from "@redocly/openapi-core";
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
    const config = await loadConfig({ configPath: join(import.meta.dirname, "../redocly.yaml") });
    const problems = await lintFromString({ source: JSON.stringify(document.body), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it("row X5: is the file from which the types of the client are generated; the build writes it", () => {
    const file = JSON.parse(readFileSync(join(import.meta.dirname, "../openapi.json"), "utf8"));
    const text = JSON.stringify(document.body).replaceAll(s.service.url ?? "", "http://127.0.0.1:8080");
    expect(JSON.parse(text)).toEqual(file);
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

  it("rows 13 and 14: start and stop are required, the deprecated start_iso and stop_iso stand for them", () => {
    for (const end of ["preprocessed-data", "preprocessed-data-ranges"]) {
      const { parameters } = document.body.paths[`/api/v1/devices/{device}/${end}/`].get;
      const of = (name: string) =>
        parameters.find((parameter: { name: string }) => parameter.name === name) ?? {};
      for (const name of ["start", "stop"]) {
        expect(of(name)).toMatchObject({ in: "query", required: true });
        expect(of(name).description).toContain(`unless the deprecated ${name}_iso is sent instead`);
        expect(of(name)).not.toHaveProperty("deprecated");
        expect(of(`${name}_iso`)).toMatchObject({ in: "query", required: false, deprecated: true });
        expect(of(`${name}_iso`).schema).not.toHaveProperty("deprecated");
      }
    }
  });

  it("row 55: says how long a time frame may last, as the README does in the same table of limits", () => {
    const { post } = document.body.paths["/api/v1/timeframes/"];
    const { end_time } = post.requestBody.content["application/json"].schema.properties;
    expect(end_time.description).toBe("After start_time, and at most 7 days after it");
    const { description } = document.body.info;
    const table = description.slice(description.indexOf("| Limit "));
    expect(table).toContain("| From `start_time` to `end_time` of a time frame | at most 7 days ");
    expect(readFileSync(join(import.meta.dirname, "../README.md"), "utf8")).toContain(table);
  });

  it("rows 48 and 60: the definition of computed data is no required key, and its version a header", () => {
    const { ComputedData } = document.body.components.schemas;
    expect(ComputedData.required).toHaveLength(19);
    expect(ComputedData.required).not.toContain("definition");
    for (const path of ["activities/{activity}", "timeframes/{timeframe}"]) {
      const { get } = document.body.paths[`/api/v1/${path}/computed-data/`];
      expect(get.responses["200"].headers).toHaveProperty("X-Definition-Version");
    }
  });

  it("row X5: marks the deprecated operations, with every method, and no others", () => {
    const groups = /^\/api\/v1\/(athletes|json-schemas|activities|timeframes)\//;
    const others = ["authorize", "bulkLoad", "retrieveJob", "retrieveManagerByExternalId", "setCustomName"];
    const operations = Object.entries<Record<string, { operationId: string; deprecated?: boolean }>>(
      document.body.paths,
    ).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, ...operation })));
    // The rights of people last as long as their data.
    const lasting = ["exportAthlete", "eraseAthlete"];
    const isDeprecated = ({ path, operationId }: (typeof operations)[number]) =>
      (groups.test(path) && !lasting.includes(operationId)) || others.includes(operationId);
    for (const operation of operations) {
      expect([operation.operationId, operation.deprecated ?? false]).toEqual([
        operation.operationId,
        isDeprecated(operation),
      ]);
    }
    expect(operations.length).toBeGreaterThan(50);
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
