import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { JSON_SCHEMA_TYPE_NUMBERS, type JsonSchemaType } from "../../store/json-schema-definitions.js";
import { jsonSchemas } from "../../store/schema.js";
import { type FieldErrors, MAX_FIELD_ERRORS } from "../change/errors.js";
import type { JsonSchemaRow } from "./rules.js";

/** Finds the first error. It checks the length of an array before its items. */
const first = new Ajv2020({ strict: true });

/** Finds all errors. It also compares the items of an array that is too long, which takes quadratic time. */
const all = new Ajv2020({ allErrors: true, strict: true });

/** Maximum length of arrays in a value for which all errors are found. The schemas allow shorter ones only. */
const MAX_ITEMS_FOR_ALL = 100;

/** Compiled schemas by their text. A schema that a migration changes is thus recompiled. */
const compiled = new Map<string, { first: ValidateFunction; all: ValidateFunction }>();

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
 * @returns messages by field name, nested like the value; only the first one if the value contains a long array; undefined when
 * the value is valid
 */
export function validateAgainst({ schema }: JsonSchemaRow, value: unknown): FieldErrors | undefined {
  const text = JSON.stringify(schema);
  let validate = compiled.get(text);
  if (validate === undefined) {
    validate = { first: first.compile(schema), all: all.compile(schema) };
    compiled.set(text, validate);
  }
  if (validate.first(value)) return undefined;
  const complete = hasLongArray(value) ? validate.first : validate.all;
  complete(value);
  const fields: FieldErrors = {};
  for (const error of (complete.errors ?? []).slice(0, MAX_FIELD_ERRORS))
    place(fields, pathOf(error), messageOf(error));
  return fields;
}

function hasLongArray(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) && value.length > MAX_ITEMS_FOR_ALL) return true;
  return Object.values(value).some(hasLongArray);
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
