import type { TSchema } from "@sinclair/typebox";

/** A part of the document. */
export type Json = Record<string, unknown>;

/** Standard formats; all other formats are specific to this service. */
const KNOWN_FORMATS = new Set(["date-time", "date", "email", "password", "uri", "binary"]);

/** Returns the schema for the document: named schemas as references, without the options of this service. */
export function published(schema: TSchema, schemas: Record<string, Json>): Json {
  const { $id, ...rest } = schema;
  if ($id === undefined) return withoutOwnOptions(rest as TSchema, schemas);
  schemas[$id] ??= withoutOwnOptions(rest as TSchema, schemas);
  return { $ref: `#/components/schemas/${$id}` };
}

function withoutOwnOptions(schema: TSchema, schemas: Record<string, Json>): Json {
  if (schema.openapi !== undefined) return schema.openapi;
  const { problem: _problem, format, ...rest } = schema;
  const members = Object.entries(rest).map(([name, value]) => {
    if (name === "properties") {
      const properties = Object.entries(value as Record<string, TSchema>);
      return [name, Object.fromEntries(properties.map(([key, member]) => [key, published(member, schemas)]))];
    }
    if (name === "items") return [name, published(value as TSchema, schemas)];
    if (name === "anyOf") return [name, (value as TSchema[]).map((variant) => published(variant, schemas))];
    return [name, value];
  });
  return {
    ...Object.fromEntries(members),
    ...(format !== undefined && KNOWN_FORMATS.has(format) ? { format } : {}),
  };
}

/** Returns the example of the schema, or a generated one. */
export function exampleOf(schema: TSchema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0]);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, TSchema>).map(([name, member]) => [
          name,
          exampleOf(member),
        ]),
      );
    case "array":
      return [exampleOf(schema.items)];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "string":
      return FORMAT_EXAMPLES[schema.format ?? ""] ?? "text";
    default:
      return null;
  }
}

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  "date-time": "2024-01-01T06:00:00.000Z",
  date: "1990-12-31",
  email: "ann@example.org",
  password: "a long passphrase",
};
