import { describe, expect, it } from "vitest";
import { JSON_SCHEMA_DEFINITIONS } from "../../store/json-schema-definitions.js";
import type { JsonSchemaRow } from "./rules.js";
import { validateAgainst } from "./validate.js";

/** Names of the members that are arrays, by schema. */
const ARRAYS = JSON_SCHEMA_DEFINITIONS.flatMap(({ name, schema }) =>
  Object.entries(schema.properties as Record<string, { type?: string }>)
    .filter(([, { type }]) => type === "array")
    .map(([member]) => ({ name, schema: { schema } as unknown as JsonSchemaRow, member })),
);

/** Returns an array, and the number of times that one of its items has been read. */
function countedItems(length: number) {
  const reads = { count: 0 };
  const items = Array.from({ length }, (_, i) => [i]);
  const counted = new Proxy(items, {
    get(target, key, receiver) {
      if (/^\d+$/.test(String(key))) reads.count++;
      return Reflect.get(target, key, receiver);
    },
  });
  return { counted, reads };
}

describe("validation against a JSON schema", () => {
  it("names all errors of a value", () => {
    const { schema } = ARRAYS.find(({ member }) => member === "recipes") ?? {};
    const value = { recipes: [1, 2, 3, 4, 5, 6], max_valid_speed: "fast" };
    const problems = validateAgainst(schema as JsonSchemaRow, value);
    expect(Object.keys(problems ?? {})).toEqual(expect.arrayContaining(["recipes", "max_valid_speed"]));
  });

  it.each(ARRAYS)("of $name does not read the items if $member is too long", ({ schema, member }) => {
    const { counted, reads } = countedItems(8_900);
    const problems = validateAgainst(schema, { [member]: counted });
    expect(problems).toEqual({ [member]: [expect.stringMatching(/must NOT have more than \d+ items/)] });
    expect(reads.count).toBe(0);
  });
});
