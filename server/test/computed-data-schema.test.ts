import { computeMetrics } from "asi-convert/metrics";
import { describe, expect, it } from "vitest";
import { matchFrame, matchSamples } from "../../test/metrics/golden/match.js";
import { columnsOf } from "../../test/metrics/golden/sessions.js";
import { computedDataFrom } from "../src/domain/computed-data/computed-data.js";
import { COMPUTED_DATA_SCHEMA } from "../src/wire/computed-data-schema.js";
import { FULL_DEFINITION, OPTIONAL_FIGURES } from "../src/wire/optional-figures-schema.js";

interface SchemaNode {
  readonly type: string | readonly string[];
  readonly description: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const schema: SchemaNode = COMPUTED_DATA_SCHEMA;

/** Schema of the optional figures and of all definitions. */
const further: SchemaNode = {
  type: "object",
  description: "",
  properties: {
    ...(OPTIONAL_FIGURES as Record<string, SchemaNode>),
    definition: FULL_DEFINITION as SchemaNode,
  },
};

/** Yields every location of a number in the schema. */
function* numberNodes(node: SchemaNode, path: string): Generator<[path: string, node: SchemaNode]> {
  if ([node.type].flat().some((type) => type === "number" || type === "integer")) yield [path, node];
  for (const [key, child] of Object.entries(node.properties ?? {}))
    yield* numberNodes(child, `${path}.${key}`);
  if (node.items) yield* numberNodes(node.items, `${path}[]`);
}

/** Returns locations where a value differs from the schema; keys must be in the order of the schema. */
function mismatches(value: unknown, node: SchemaNode, path: string): string[] {
  const types = [node.type].flat();
  if (value === null) return types.includes("null") ? [] : [`${path} is null`];
  if (typeof value === "number") {
    const fits = types.includes("number") || (types.includes("integer") && Number.isInteger(value));
    return fits ? [] : [`${path} is ${value}`];
  }
  if (Array.isArray(value)) {
    const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node;
    if (!items) return [`${path} is a list`];
    const size = value.length < minItems || value.length > maxItems ? [`${path} has ${value.length}`] : [];
    return [...size, ...value.flatMap((item, i) => mismatches(item, items, `${path}[${i}]`))];
  }
  const properties = node.properties ?? {};
  const entries = Object.entries(value ?? {});
  const keys = entries.map(([key]) => key).join();
  if (keys !== Object.keys(properties).join()) return [`${path} has the keys ${keys}`];
  return entries.flatMap(([key, child]) => {
    const childNode = properties[key];
    return childNode ? mismatches(child, childNode, `${path}.${key}`) : [];
  });
}

describe("the schema of the computed data", () => {
  it.each([...numberNodes(schema, "data"), ...numberNodes(further, "further")])(
    "states the unit of %s",
    (_, node) => {
      expect(node.description).toMatch(/ Unit: .+\.$/);
    },
  );

  it.each([
    ["a match", matchSamples(1, 0)],
    ["no samples", []],
  ])("describes the result for %s, with the keys in the same order", (_, samples) => {
    const data = computedDataFrom(computeMetrics(columnsOf(samples), matchFrame("1996-06-02")), 0);
    expect(mismatches(data, schema, "data")).toEqual([]);
  });

  it("contains the documented keys in their order, and one additional key", () => {
    expect(Object.keys(schema.properties ?? {})).toEqual([
      ...["first_timestamp", "last_timestamp", "last_computation"],
      ...["total_distance", "max_speed", "average_speed"],
      ...["accelerations", "decelerations", "sprint", "hid"],
      ...["time_per_speed_ranges", "distance_per_speed_ranges", "intensity"],
      ...["hr_max", "hr_min", "hr_avg", "hr_plot", "athlete_max_hr", "timePerHrZone"],
      ...["sprint_distance", "hid_distance", "has_accelerations", "too_fast"],
      "definition",
    ]);
  });
});
