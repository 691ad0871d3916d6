import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq, sql } from "drizzle-orm";
import { JSON_SCHEMA_DEFINITIONS, JSON_SCHEMA_TYPE_NUMBERS } from "../../store/json-schema-definitions.js";
import { jsonSchemas } from "../../store/schema.js";
import { Nullable, ordering, PageQuery, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { listPage, matchesSearch, orderBy } from "../lists/listing.js";
import type { JsonSchemaRow } from "./rules.js";

const [example] = JSON_SCHEMA_DEFINITIONS;

export const JsonSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    type: Type.Union([Type.Literal("ACTIVITY"), Type.Literal("TIMEFRAME")]),
    parent: Nullable(Type.Integer({ description: "Id of the activity schema of a time-frame schema" })),
    schema: Type.Object({}, { additionalProperties: true, description: "JSON Schema, draft 2020-12" }),
  },
  {
    $id: "JsonSchema",
    examples: [{ id: 1, name: example?.name, type: example?.type, parent: null, schema: example?.schema }],
  },
);

const toJsonSchema = ({ id, name, type, parentId, schema }: JsonSchemaRow) => ({
  id,
  name,
  type: type === JSON_SCHEMA_TYPE_NUMBERS.ACTIVITY ? ("ACTIVITY" as const) : ("TIMEFRAME" as const),
  parent: parentId,
  schema,
});

const ORDERINGS = { name: jsonSchemas.name, type: jsonSchemas.type, parent: jsonSchemas.parentId };

export const JsonSchemaFilters = Type.Object({
  ...PageQuery,
  ordering: ordering(Object.keys(ORDERINGS)),
  search: Query.text("Text in the name"),
  type: Query.integer("1 ACTIVITY, 2 TIMEFRAME"),
  parent: Query.integer("Id of the parent schema"),
});

type Filters = StaticDecode<typeof JsonSchemaFilters>;

export async function listJsonSchemas({ queries }: Context, filters: Filters) {
  const matching = queries
    .select()
    .from(jsonSchemas)
    .where(
      and(
        // The column is a smallint, but the request may contain any number.
        filters.type === undefined ? undefined : sql`${jsonSchemas.type}::bigint = ${filters.type}`,
        filters.parent === undefined ? undefined : eq(jsonSchemas.parentId, filters.parent),
        matchesSearch(filters.search, [jsonSchemas.name]),
      ),
    )
    .$dynamic();
  const order = orderBy(filters.ordering, ORDERINGS, jsonSchemas.id);
  return listPage(queries, matching, order, filters, toJsonSchema);
}

export const jsonSchemaItem = (row: JsonSchemaRow): Item<ReturnType<typeof toJsonSchema>> =>
  item(toJsonSchema(row));
