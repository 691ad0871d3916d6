import { type TSchema, Type } from "@sinclair/typebox";
import type { FastifyReply } from "fastify";
import { errors } from "../domain/change/errors.js";
import { orderingFields } from "../domain/lists/listing.js";

/** Maximum number of names in the header, and of characters of each. */
const MAX_NAMES = 20;
const MAX_NAME = 60;

const NO_MEMBERS = Type.Object({});

/** Replaces lone surrogates, which cannot be encoded. */
const wellFormed = (text: string) => Buffer.from(text).toString();

type Members = Record<string, TSchema>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the object among the variants of a nullable object. */
const objectIn = (schema: TSchema): TSchema =>
  (schema.anyOf as TSchema[] | undefined)?.find(({ type }) => type === "object") ?? schema;

/** Returns members of a value that are not in its schema, with levels separated by dots. Free-form JSON has none. */
function* unnamed(schema: TSchema, value: unknown, path: string): Generator<string> {
  const { type, properties, items, additionalProperties } = objectIn(schema);
  if (Array.isArray(value) && type === "array") {
    for (const [index, item] of value.entries()) yield* unnamed(items as TSchema, item, `${path}${index}.`);
  }
  if (!isObject(value) || type !== "object" || additionalProperties) return;
  const members = (properties ?? {}) as Members;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    if (known === undefined) yield `${path}${name}`;
    else yield* unnamed(known, member, `${path}${name}.`);
  }
}

/** Whether the default limit applies, because the given one is not a positive number. */
const isLimitIgnored = (query: TSchema | undefined, given: unknown): boolean => {
  const limit = isObject(given) ? given.limit : undefined;
  return (
    query?.properties?.limit !== undefined &&
    limit !== undefined &&
    limit !== "" &&
    !/^0*[1-9]\d*$/.test(String(limit))
  );
};

/** Whether `ordering` names fields by which the list cannot be ordered. */
const isOrderingIgnored = (query: TSchema | undefined, given: unknown): boolean => {
  const ordering = isObject(given) ? given.ordering : undefined;
  const fields = (query?.properties as Members | undefined)?.ordering?.fields as
    | readonly string[]
    | undefined;
  return (
    fields !== undefined &&
    typeof ordering === "string" &&
    orderingFields(ordering).some(({ field }) => field !== "" && !fields.includes(field))
  );
};

interface Part {
  schema: TSchema | undefined;
  given: unknown;
}

/** Returns the query parameters and body members that are unknown to the operation. Free-form bodies have none. */
function* unknownIn(query: Part, body: Part): Generator<string> {
  yield* unnamed(query.schema ?? NO_MEMBERS, query.given, "");
  if (body.schema !== undefined) yield* unnamed(body.schema, body.given, "");
}

/**
 * Refuses the parts that `tellIgnored` reports.
 * @throws ServiceError `invalid`
 */
export function refuseIgnored(query: Part, body: Part): void {
  const names = [...take(unknownIn(query, body), MAX_NAMES)];
  if (names.length === 0) return;
  throw errors.invalid(Object.fromEntries(names.map((name) => [name, ["Unknown field."]])));
}

function* take<T>(values: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const value of values) {
    if (taken++ === count) return;
    yield value;
  }
}

function* ignoredIn(query: Part, body: Part): Generator<string> {
  if (isLimitIgnored(query.schema, query.given)) yield "limit";
  if (isOrderingIgnored(query.schema, query.given)) yield "ordering";
  yield* unknownIn(query, body);
}

/**
 * Reports ignored parts of a request in `X-Ignored`: unknown query parameters, unknown members of the body, a `limit` that is not a
 * positive number, and an `ordering` by unknown fields. Version 1 of the API accepts them.
 */
export function tellIgnored(reply: FastifyReply, query: Part, body: Part): void {
  const names = [...take(ignoredIn(query, body), MAX_NAMES)];
  if (names.length === 0) return;
  // Escape the names, because users choose them, a header allows only some characters, and commas separate the names.
  reply.header(
    "X-Ignored",
    names.map((name) => encodeURIComponent(wellFormed(name.slice(0, MAX_NAME)))).join(", "),
  );
}
