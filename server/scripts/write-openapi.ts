/** Writes the OpenAPI document of the service, from which the types of the client are generated. Part of the build. */
import { writeFileSync } from "node:fs";
import { readConfig } from "../src/config/config.js";
import { buildApp } from "../src/http/app.js";
import { openApiDocument } from "../src/http/documentation/openapi.js";

/** Not used, because no request is made. */
const unused = { database: { kind: "embedded" }, clock: { now: () => new Date() } } as unknown as Parameters<
  typeof buildApp
>[1];

const { operations } = await buildApp(readConfig({ LOG_LEVEL: "silent" }), unused);
const document = openApiDocument(operations, "http://127.0.0.1:8080");
writeFileSync(new URL("../openapi.json", import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
