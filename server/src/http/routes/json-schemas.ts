import type { FastifyInstance } from "fastify";
import {
  JsonSchema,
  JsonSchemaFilters,
  jsonSchemaItem,
  listJsonSchemas,
} from "../../domain/json-schemas/list.js";
import { Page } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "JSON schemas";

export function jsonSchemaRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listJsonSchemas",
    tag,
    summary: "List the JSON schemas of activities and time frames",
    deprecated: true,
    method: "GET",
    path: "/api/v1/json-schemas/",
    query: JsonSchemaFilters,
    success: { status: 200, schema: Page(JsonSchema) },
    failures: [400, 404],
    handle: ({ ctx, query }) => listJsonSchemas(ctx, query),
  });

  route(app, {
    id: "retrieveJsonSchema",
    tag,
    summary: "Retrieve a JSON schema",
    deprecated: true,
    method: "GET",
    path: "/api/v1/json-schemas/{json_schema}/",
    success: { status: 200, schema: JsonSchema },
    handle: async ({ target }) => jsonSchemaItem(target),
  });
}
