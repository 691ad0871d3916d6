import { type TSchema, Type } from "@sinclair/typebox";
import type { FastifyReply } from "fastify";

/** Maximum number of names in the header, and of characters of each. */
const MAX_NAMES = 20;
const MAX_NAME = 60;

const NO_MEMBERS = Type.Object({});

/** A lone surrogate cannot be encoded. */
const wellFormed = (text: string) => Buffer.from(text).toString();

type Members = Record<string, TSchema>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the object among the variants of a nullable object. */
const objectIn = (schema: TSchema): TSchema =>
  (schema.anyOf as TSchema[] | undefined)?.find(({ type }) => type === "object") ?? schema;

/** Returns members of a value that are not in its schema, with levels separated by dots. Free JSON has none. */
function* unnamed(schema: TSchema, value: unknown, path: string): Generator<string> {
  const { type, properties, items, additionalProperties } = objectIn(schema);
  if (Array.isArray(value) && type === "array") {
    for (const [index, item] of value.entries()) yield* unnamed(items as TSchema, item, `${path}${index}.`);
  }
  if (!isObject(value) || type !== "object" || additionalProperties === true) return;
  const members = (properties ?? {}) as Members;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    if (known === undefined) yield `${path}${name}`;
    else yield* unnamed(known, member, `${path}${name}.`);
  }
}

/** Whether a limit is not a positive number, so that the default applies. */
const isLimitIgnored = (query: TSchema | undefined, given: unknown): boolean => {
  const limit = isObject(given) ? given.limit : undefined;
  return (
    query?.properties?.limit !== undefined &&
    limit !== undefined &&
    limit !== "" &&
    !/^0*[1-9]\d*$/.test(String(limit))
  );
};

/**
 * Reports ignored parts of a request in `X-Ignored`: unknown query parameters, unknown members of the body, and a `limit` that is
 * not a positive number. The first version of the API accepts them.
 */
export function tellIgnored(
  reply: FastifyReply,
  query: { schema: TSchema | undefined; given: unknown },
  body: { schema: TSchema | undefined; given: unknown },
): void {
  const names: string[] = isLimitIgnored(query.schema, query.given) ? ["limit"] : [];
  const parts = [
    unnamed(query.schema ?? NO_MEMBERS, query.given, ""),
    ...(body.schema === undefined ? [] : [unnamed(body.schema, body.given, "")]),
  ];
  for (const part of parts) {
    for (const name of part) {
      if (names.length === MAX_NAMES) break;
      names.push(name);
    }
  }
  if (names.length === 0) return;
  // Escape the names, because users choose them: a header allows no other characters, and commas separate the names.
  reply.header(
    "X-Ignored",
    names.map((name) => encodeURIComponent(wellFormed(name.slice(0, MAX_NAME)))).join(", "),
  );
}
