/** Arbitrary values for property tests, derived from the schemas of the OpenAPI document. */
import fc from "fast-check";
import { type Parameter, referred, type Schema } from "./openapi-document.js";

/** Texts that often cause errors. */
export const odd = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    " ",
    "\0",
    "'; DROP TABLE accounts; --",
    "%",
    "\\",
    "\ud800",
    "9".repeat(400),
    "-1",
    "1e999",
  ),
  fc.constantFrom("2024-02-30T00:00:00Z", "0000-00-00", "true", "null", "NaN", "__proto__", "<script>"),
);

const instant = fc.constantFrom(
  "2024-06-01T10:00:00.000Z",
  "2024-06-01 10:30:00+0100",
  "2030-01-01T00:00:00",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
);

const formatted: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": instant,
  date: fc.constantFrom("1990-12-31", "0001-01-01", "9999-12-31", "2024-02-29"),
  email: fc.constantFrom("ann@example.org", `${"x".repeat(240)}@example.org`),
  password: fc.constantFrom("a long passphrase", "ünïcödé pässwörd", "x".repeat(128)),
};

/** Generates values for the schemas of the document; `ids` contains existing ids by member name. */
export class Values {
  readonly #components: Readonly<Record<string, Schema>>;
  readonly #ids: () => Readonly<Record<string, number>>;

  constructor(components: Readonly<Record<string, Schema>>, ids: () => Readonly<Record<string, number>>) {
    this.#components = components;
    this.#ids = ids;
  }

  /** Generates mostly valid values, and sometimes arbitrary values. */
  of(schema: Schema, name = ""): fc.Arbitrary<unknown> {
    const resolved = schema.$ref === undefined ? schema : referred(this.#components, schema.$ref);
    return fc.oneof(
      { arbitrary: this.#shaped(resolved, name), weight: 12 },
      { arbitrary: fc.jsonValue(), weight: 1 },
    );
  }

  #shaped(schema: Schema, name: string): fc.Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((variant) => this.of(variant, name)));
    switch (schema.type) {
      case "object":
        return this.#object(schema);
      case "array":
        return fc.array(this.of(schema.items ?? {}), { maxLength: 3 });
      case "integer":
        return fc.oneof(
          { arbitrary: fc.constant(null).map(() => this.#ids()[name] ?? 1), weight: 4 },
          { arbitrary: fc.oneof(fc.integer(), fc.constantFrom(0, 2 ** 53, -1, 1e300)), weight: 1 },
        );
      case "number":
        return fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(1, 1.75, 60));
      case "boolean":
        return fc.boolean();
      default:
        return fc.oneof(formatted[schema.format ?? ""] ?? fc.uuid(), odd);
    }
  }

  /** Generates objects. Required members are usually present. */
  #object(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
    const members = Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, member]) => [name, this.of(member, name)]),
    );
    const required = schema.required ?? [];
    return fc.oneof(
      { arbitrary: fc.record(members, { requiredKeys: required }), weight: 4 },
      { arbitrary: fc.record(members, { requiredKeys: [] }), weight: 1 },
    );
  }

  /** Generates query parameters. A request gets only a few, because one invalid parameter would hide other errors. */
  query(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, string>> {
    const inQuery = parameters.filter((parameter) => parameter.in === "query");
    const required = inQuery.filter((parameter) => parameter.required).map(({ name }) => name);
    const pairs = inQuery.map(({ name, schema }) => {
      const likely =
        schema.type === "boolean"
          ? fc.constantFrom("true", "0", "False")
          : schema.type === "integer"
            ? fc.oneof(
                fc.integer().map(String),
                fc.constant(null).map(() => String(this.#ids()[name] ?? 1)),
              )
            : (formatted[schema.format ?? ""] ??
              fc.constantFrom("a", "2024-01-01T00:00:00Z", "1704067200000"));
      const value = fc.oneof({ arbitrary: likely, weight: 3 }, { arbitrary: odd, weight: 1 });
      return [name, value] as [string, fc.Arbitrary<string>];
    });
    const all = fc.record(Object.fromEntries(pairs), { requiredKeys: required });
    return fc
      .tuple(
        all,
        fc.subarray(
          pairs.map(([name]) => name),
          { maxLength: Math.min(3, pairs.length) },
        ),
      )
      .map(([values, kept]) =>
        Object.fromEntries(
          Object.entries(values as Record<string, string>).filter(
            ([name]) => required.includes(name) || kept.includes(name),
          ),
        ),
      );
  }
}

/** Valid and invalid headers that affect an operation. */
export const conditions = fc.record(
  {
    "If-Match": fc.constantFrom("*", '"x"', "W/,"),
    "If-None-Match": fc.constantFrom("*", '"x"'),
    "Idempotency-Key": fc.oneof(fc.uuid(), fc.constantFrom("k", "x".repeat(256), "a b")),
  },
  { requiredKeys: [] },
);
