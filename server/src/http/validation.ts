import type { StaticDecode, TSchema } from "@sinclair/typebox";
import { TypeCompiler, type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { errors, type FieldErrors, MAX_FIELD_ERRORS } from "../domain/change/errors.js";

/** Converts a value of the API to its internal form, or throws `invalid` with a message per field. */
export type Decoder<T extends TSchema> = (value: unknown) => StaticDecode<T>;

const WHOLE = "non_field_errors";

/** Compiles a schema once. Members that are not in the schema are dropped, unless it forbids them. */
export function decoder<T extends TSchema>(schema: T): Decoder<T> {
  const compiled = TypeCompiler.Compile(schema);
  return (value) => {
    if (!compiled.Check(value)) throw errors.invalid(fieldErrors(compiled.Errors(value)));
    return compiled.Decode(Value.Clean(schema, value));
  };
}

/** Compiles a schema of query parameters: an empty parameter counts as absent, and the last of repeated parameters counts. */
export function queryDecoder<T extends TSchema>(schema: T): Decoder<T> {
  const decode = decoder(schema);
  return (query) =>
    decode(
      Object.fromEntries(
        Object.entries(query as Record<string, string | string[]>)
          .map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value])
          .filter(([, value]) => value !== ""),
      ),
    );
}

function fieldErrors(found: Iterable<ValueError>): FieldErrors {
  const fields: FieldErrors = {};
  let count = 0;
  for (const error of expanded(found)) {
    count++;
    if (count > MAX_FIELD_ERRORS) break;
    const path = error.path
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (path.length === 0) path.push(WHOLE);
    place(fields, path, message(error));
    // Omit the problems of the items if the list is too long.
    if (error.type === ValueErrorType.ArrayMaxItems) break;
  }
  return fields;
}

/** Yields the problems of the members of a nullable object. */
function* expanded(found: Iterable<ValueError>): Generator<ValueError> {
  for (const error of found) {
    const [object, ...others]: TSchema[] = error.type === ValueErrorType.Union ? error.schema.anyOf : [];
    const [problems] = error.errors;
    const isObject = object?.type === "object" && others.every(({ type }) => type === "null");
    if (isObject && problems !== undefined && error.value !== null) yield* expanded(problems);
    else yield error;
  }
}

/** Reports only the first problem of each field, because it causes the others. */
function place(fields: FieldErrors, [name = WHOLE, ...rest]: string[], text: string): void {
  const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (rest.length === 0) {
    if (known === undefined) define(fields, name, [text]);
    return;
  }
  if (Array.isArray(known)) return;
  const inner = known ?? {};
  if (known === undefined) define(fields, name, inner);
  place(inner, rest, text);
}

/** Adds a field. An assignment would be unsafe for a field called `__proto__`. */
const define = (fields: FieldErrors, name: string, value: string[] | FieldErrors) =>
  Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });

function message(error: ValueError): string {
  const { schema, value } = error;
  if (error.type === ValueErrorType.ObjectRequiredProperty) return "This field is required.";
  if (error.type === ValueErrorType.ObjectAdditionalProperties) return "Unknown field.";
  if (error.type === ValueErrorType.Union) return unionMessage(error);
  if (value === null) return "This field may not be null.";
  const own = () => (typeof schema.problem === "function" ? schema.problem(value) : schema.problem);
  switch (error.type) {
    case ValueErrorType.String:
      return "Not a valid string.";
    case ValueErrorType.StringMinLength:
      return schema.minLength === 1
        ? "This field may not be blank."
        : `Ensure this field has at least ${schema.minLength} characters.`;
    case ValueErrorType.StringMaxLength:
      return `Ensure this field has no more than ${schema.maxLength} characters.`;
    case ValueErrorType.StringFormat:
    case ValueErrorType.StringPattern:
      return own() ?? "Enter a valid value.";
    case ValueErrorType.Integer:
      return "A valid integer is required.";
    case ValueErrorType.Number:
      return "A valid number is required.";
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return own() ?? `Ensure this value is greater than or equal to ${schema.minimum}.`;
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return own() ?? `Ensure this value is less than or equal to ${schema.maximum}.`;
    case ValueErrorType.NumberExclusiveMinimum:
      return `Ensure this value is greater than ${schema.exclusiveMinimum}.`;
    case ValueErrorType.Boolean:
      return "Must be a valid boolean.";
    case ValueErrorType.Object:
      return "Invalid data. Expected an object.";
    case ValueErrorType.ArrayMaxItems:
      return `Ensure this list has no more than ${schema.maxItems} items.`;
    case ValueErrorType.Array:
      return "Expected a list.";
    default:
      return error.message;
  }
}

/**
 * Returns the message for a union. A nullable value has the errors of its first variant; the message for a choice lists the
 * choices.
 */
function unionMessage(error: ValueError): string {
  const variants: TSchema[] = error.schema.anyOf;
  const literals = variants.flatMap((variant) => ("const" in variant ? [String(variant.const)] : []));
  if (literals.length > 0) return `Not a valid choice; expected one of ${literals.join(", ")}.`;
  for (const problems of error.errors) for (const problem of problems) return message(problem);
  return error.message;
}
