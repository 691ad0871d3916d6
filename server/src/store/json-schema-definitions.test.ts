import { PRESETS, SPORTS } from "asi-convert/metrics";
import { describe, expect, it } from "vitest";
import { JSON_SCHEMA_DEFINITIONS } from "./json-schema-definitions.js";

describe("the installed JSON schemas", () => {
  it("include one schema for activities and one for time frames of each sport", () => {
    expect(JSON_SCHEMA_DEFINITIONS.map(({ name, type }) => `${type} ${name}`).sort()).toEqual(
      SPORTS.flatMap((sport) => [`ACTIVITY activity_${sport}`, `TIMEFRAME timeframe_${sport}`]).sort(),
    );
  });

  it("are listed after their parents", () => {
    JSON_SCHEMA_DEFINITIONS.forEach(({ type, sport, parent }, i) => {
      expect(parent).toBe(type === "TIMEFRAME" ? `activity_${sport}` : null);
      const earlier = JSON_SCHEMA_DEFINITIONS.slice(0, i).map(({ name }) => name);
      if (parent !== null) expect(earlier).toContain(parent);
    });
  });

  it.each(SPORTS)("use the preset of %s as the default of every parameter of time frames", (sport) => {
    const definition = JSON_SCHEMA_DEFINITIONS.find(({ name }) => name === `timeframe_${sport}`);
    const { max_hr, ...defaults } = PRESETS[sport];
    const properties = Object.fromEntries(
      Object.entries(defaults).map(([key, value]) => [key, expect.objectContaining({ default: value })]),
    );
    expect(definition?.schema).toMatchObject({
      properties: { ...properties, max_hr: { minimum: 60, maximum: 240 } },
      additionalProperties: true,
    });
  });

  it("are unchanged after they have been stored as JSON", () => {
    expect(JSON.parse(JSON.stringify(JSON_SCHEMA_DEFINITIONS))).toEqual(JSON_SCHEMA_DEFINITIONS);
  });
});
