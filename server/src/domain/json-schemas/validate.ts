import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { JSON_SCHEMA_TYPE_NUMBERS, type JsonSchemaType } from "../../store/json-schema-definitions.js";
import { jsonSchemas } from "../../store/schema.js";
import { type FieldErrors, MAX_FIELD_ERRORS } from "../change/errors.js";
import type { JsonSchemaRow } from "./rules.js";

const ajv = new Ajv2020({ allErrors: true, strict: true });

/** Compiled schemas by their text. A schema that a migration changes is thus recompiled. */
const compiled = new Map<string, ValidateFunction>();

/** Returns the schema with this id and type. */
export async function findJsonSchema(
  queries: Queries,
  id: number,
  type: JsonSchemaType,
): Promise<JsonSchemaRow | undefined> {
  const [schema] = await queries.select().from(jsonSchemas).where(eq(jsonSchemas.id, id));
  return schema?.type === JSON_SCHEMA_TYPE_NUMBERS[type] ? schema : undefined;
}

/**
 * Checks a value against a JSON schema (draft 2020-12).
 * @returns messages by field name, nested like the value; undefined when the value is valid
 */
export function validateAgainst({ schema }: JsonSchemaRow, value: unknown): FieldErrors | undefined {
  const text = JSON.stringify(schema);
  let validate = compiled.get(text);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(text, validate);
  }
  if (validate(value)) return undefined;
  const fields: FieldErrors = {};
  for (const error of (validate.errors ?? []).slice(0, MAX_FIELD_ERRORS))
    place(fields, pathOf(error), messageOf(error));
  return fields;
}

/** Returns the location of the error as a JSON pointer (RFC 6901), including the name of a missing required member. */
function pathOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keyword === "required") path.push(String(params.missingProperty));
  return path.length === 0 ? ["non_field_errors"] : path;
}

function messageOf({ keyword, message, params }: ErrorObject): string {
  if (keyword === "required") return "This field is required.";
  if (keyword === "const") return `Must be ${JSON.stringify(params.allowedValue)}.`;
  return `This value ${message ?? "is not valid"}.`;
}

function place(fields: FieldErrors, [name = "", ...rest]: string[], text: string): void {
  const known = fields[name];
  if (rest.length === 0) {
    // A problem with the whole value replaces the problems of its parts.
    fields[name] = Array.isArray(known) ? [...known, text] : [text];
    return;
  }
  if (Array.isArray(known)) return;
  const inner = known ?? {};
  fields[name] = inner;
  place(inner, rest, text);
}
