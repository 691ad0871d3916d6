import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createConfig, lintFromString, loadConfig } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { partOf } from "../docs-page/document-part.js";
import { type Answer, service, type TestService } from "./service.js";

interface Body {
  requestBody?: { content: Record<string, { schema: object; example: unknown }> };
}

let s: TestService;
let document: Answer;

beforeAll(async () => {
  s = await service();
  document = await s.get("/api/schema/");
});

describe("documentation", () => {
  it("the document is OpenAPI 3.1, and a linter passes it", async () => {
    expect(document.body.openapi).toBe("3.1.0");
    const config = await loadConfig({ configPath: join(import.meta.dirname, "../redocly.yaml") });
    const problems = await lintFromString({ source: JSON.stringify(document.body), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it("the document is the file from which the types of the client are generated; the build writes it", () => {
    const file = JSON.parse(readFileSync(join(import.meta.dirname, "../openapi.json"), "utf8"));
    const text = JSON.stringify(document.body).replaceAll(s.service.url ?? "", "http://127.0.0.1:8080");
    expect(JSON.parse(text)).toEqual(file);
  });

  it("the documentation page loads, for each operation, only the components that it refers to", async () => {
    for (const path of Object.keys(document.body.paths)) {
      const part = partOf(document.body, ["paths", path, "get"]);
      const config = await createConfig({
        rules: { "no-unresolved-refs": "error", "no-unused-components": "error" },
      });
      const problems = await lintFromString({ source: JSON.stringify(part), config });
      expect(problems.map(({ ruleId, location }) => [path, ruleId, location[0]?.pointer])).toEqual([]);
    }
    expect(partOf(document.body, ["info"])).toBe(document.body);
  });

  it("the document has permissions, errors and an example for every operation", () => {
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

  it("the document lists the operations that support an Idempotency-Key", () => {
    const named = s.service.app.operations
      .filter(({ path, method }) =>
        document.body.paths[path][method.toLowerCase()].parameters.some(
          ({ name, in: place }: { name: string; in: string }) =>
            name === "Idempotency-Key" && place === "header",
        ),
      )
      .map(({ id }) => id);
    expect(named.toSorted()).toEqual([
      "acceptInvitation",
      "bulkLoad",
      "copySessionPeriods",
      "createActivity",
      "createAssignment",
      "createManagedAthlete",
      "createMember",
      "createPermissions",
      "createRecipe",
      "createSquad",
      "createSquadGrant",
      "createSquadSession",
      "createTimeframe",
      "createWebhook",
      "findManager",
      "importRoster",
      "releaseOwnership",
      "resendAccountDelivery",
      "resendDelivery",
      "takeOwnership",
      "testAccountWebhook",
      "testWebhook",
    ]);
  });

  it("the document has both bodies of an upload: a file, and a form with files", () => {
    const { content } = document.body.paths["/api/v2/recordings/"].post.requestBody;
    expect(content["application/octet-stream"].schema).toEqual({ type: "string", format: "binary" });
    const { file } = content["multipart/form-data"].schema.properties;
    expect(file).toMatchObject({ type: "array", items: { type: "string", format: "binary" }, maxItems: 100 });
  });

  it("the document has the rate limit headers in every success and every error of the API", () => {
    const { paths, components } = document.body;
    // The authorization form is an HTML page.
    const ofApi = s.service.app.operations.filter(({ path }) => path !== "/oauth2/authorize/");
    for (const { path, method } of ofApi) {
      const { responses } = paths[path][method.toLowerCase()];
      for (const [status, response] of Object.entries<{ $ref?: string; headers?: object }>(responses)) {
        // These are redirects, and 304 for cached data.
        if (["302", "304"].includes(status)) continue;
        const { headers } = response.$ref
          ? components.responses[response.$ref.split("/").at(-1) ?? ""]
          : response;
        expect([path, status, Object.keys(headers ?? {})]).toEqual([
          path,
          status,
          expect.arrayContaining(["RateLimit", "RateLimit-Policy", "X-Ignored", "X-Request-Id"]),
        ]);
      }
    }
  });

  it("the document requires start and stop of raw data, which replace the deprecated start_iso and stop_iso", () => {
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

  it("the document states the maximum duration of a time frame, as does the README in the same table of limits", () => {
    const { post } = document.body.paths["/api/v1/timeframes/"];
    const { end_time } = post.requestBody.content["application/json"].schema.properties;
    expect(end_time.description).toBe("After start_time, and at most 7 days after it");
    const { description } = document.body.info;
    const table = description.slice(description.indexOf("| Limit "));
    expect(table).toContain("| From `start_time` to `end_time` of a time frame | at most 7 days ");
    expect(readFileSync(join(import.meta.dirname, "../../docs/limits.md"), "utf8")).toContain(table);
  });

  it("the document does not require the definition of computed data, and describes its version as a header", () => {
    const { ComputedData } = document.body.components.schemas;
    expect(ComputedData.required).toHaveLength(23);
    expect(ComputedData.required).not.toContain("definition");
    for (const path of ["activities/{activity}", "timeframes/{timeframe}"]) {
      const { get } = document.body.paths[`/api/v1/${path}/computed-data/`];
      expect(get.responses["200"].headers).toHaveProperty("X-Definition-Version");
    }
  });

  it("the document marks the deprecated operations, with every method, and no other operations", () => {
    const groups = /^\/api\/v1\/(athletes|json-schemas|activities|timeframes)\//;
    const others = ["authorize", "bulkLoad", "retrieveJob", "retrieveManagerByExternalId", "setCustomName"];
    const operations = Object.entries<Record<string, { operationId: string; deprecated?: boolean }>>(
      document.body.paths,
    ).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, ...operation })));
    // Data subjects keep these rights as long as their data exist.
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

  it("the document has examples in three languages for every operation", () => {
    for (const methods of Object.values<Record<string, { "x-codeSamples": { label: string }[] }>>(
      document.body.paths,
    )) {
      for (const { "x-codeSamples": samples } of Object.values(methods)) {
        expect(samples.map(({ label }) => label)).toEqual(["curl", "TypeScript", "Python"]);
      }
    }
  });

  it("the document has consistent example pages for lists", () => {
    const pages = s.service.app.operations.flatMap(({ path, method, success: { status } }) => {
      const { example } = document.body.paths[path][method.toLowerCase()].responses[status].content?.[
        "application/json"
      ] ?? { example: null };
      return example !== null && "previous" in Object(example) ? [example] : [];
    });
    expect(pages.length).toBeGreaterThan(10);
    for (const { count, page, next, previous, results } of pages) {
      expect({ next, previous, pages: count / results.length }).toEqual({
        next: page + 1,
        previous: page - 1,
        pages: next,
      });
    }
  });

  it("the document has example bodies that match their own schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components: document.body.components });
    for (const [path, methods] of Object.entries<Record<string, Body>>(document.body.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
          const absolute = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
          const isValid = ajv.compile(JSON.parse(absolute));
          expect([path, method, isValid(example), isValid.errors]).toEqual([path, method, true, null]);
        }
      }
    }
  });

  it("the document is compressed for clients that accept compression", async () => {
    const sizes = new Map<string, number>();
    for (const encoding of ["gzip", "identity"]) {
      const { headers } = await s.get("/api/schema/", undefined, { "Accept-Encoding": encoding });
      expect(headers.get("content-encoding")).toBe(encoding === "gzip" ? "gzip" : null);
      expect(headers.get("vary")).toContain("Accept-Encoding");
      sizes.set(encoding, Number(headers.get("content-length")));
    }
    expect(sizes.get("gzip")).toBeLessThan(0.2 * (sizes.get("identity") ?? 0));
  });

  it("the page loads nothing from other hosts, and runs no inline scripts or styles", async () => {
    const page = await s.get("/api/docs/");
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    const assets = [...(page.body as string).matchAll(/(?:src|href)="([\w.-]+)"/g)].map(([, name]) => name);
    expect(assets).toEqual(expect.arrayContaining(["docs.css", "theme.js", "swagger-ui.js", "main.js"]));
    for (const asset of assets) {
      const { status, headers } = await s.get(`/api/docs/${asset}`, undefined, { "Accept-Encoding": "br" });
      expect([asset, status, headers.get("content-encoding")]).toEqual([asset, 200, "br"]);
    }
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:/);
  });
});
