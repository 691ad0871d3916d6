import {
  PARAMETER_LIMITS,
  PARAMETER_SIZES,
  PRESETS,
  SOCCER_FIFA_BANDS_PARAMS,
  SOCCER_WOMEN_PARAMS,
  SPORTS,
  type Sport,
} from "asi-convert/metrics";

/** Type of a schema: for `json` of an activity, or for `params` of a time frame. */
export type JsonSchemaType = "ACTIVITY" | "TIMEFRAME";

/** Number of a type in the database and in filters; responses contain the name. */
export const JSON_SCHEMA_TYPE_NUMBERS: Readonly<Record<JsonSchemaType, number>> = {
  ACTIVITY: 1,
  TIMEFRAME: 2,
};

/** A JSON schema installed by the migrations. */
export interface JsonSchemaDefinition {
  /** `activity_<sport>` or `timeframe_<sport>`; unique. */
  readonly name: string;
  readonly type: JsonSchemaType;
  readonly sport: Sport;
  /** Name of the activity schema that a time-frame schema belongs to; null for an activity schema. */
  readonly parent: string | null;
  /** JSON Schema, draft 2020-12. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema";

/** Maximum size of a GPX document: 5 MiB. JSON Schema counts characters; the number of bytes is checked before storing. */
export const GPX_MAX_BYTES = 5 * 1024 * 1024;

/** Maximum number of recipes of one time frame. Each recipe adds to the cost of the computation. */
export const MAX_RECIPES = 5;

const RECIPE_BY_NAME = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 100 },
    version: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
  },
  required: ["name", "version"],
  additionalProperties: false,
};

const RECIPE_BY_HASH = {
  type: "object",
  properties: { hash: { type: "string", pattern: "^[0-9a-f]{64}$" } },
  required: ["hash"],
  additionalProperties: false,
};

function activitySchema(sport: Sport): JsonSchemaDefinition["schema"] {
  return {
    $schema: DRAFT_2020_12,
    title: `Activity: ${sport}`,
    description: "Parameters of an activity. Further keys are kept and returned.",
    type: "object",
    properties: {
      sport: { const: sport, description: "The sport of the activity." },
      gpx: {
        type: "string",
        maxLength: GPX_MAX_BYTES,
        description: "The course as a GPX document, at most 5 MiB.",
      },
    },
    required: ["sport"],
    additionalProperties: true,
  };
}

function timeframeSchema(sport: Sport): JsonSchemaDefinition["schema"] {
  const preset = PRESETS[sport];
  const number = (name: keyof typeof PARAMETER_LIMITS) => ({ type: "number", ...PARAMETER_LIMITS[name] });
  const accelerationPair = {
    type: "array",
    items: number("acceleration_thresholds"),
    minItems: 2,
    maxItems: 2,
    uniqueItems: true,
  };
  return {
    $schema: DRAFT_2020_12,
    title: `Time frame: ${sport}`,
    description:
      "Parameters of the computed data, all optional; a default applies if the key is absent. Speeds in m/s, rounded " +
      "to 0.001. Further keys are kept and returned.",
    type: "object",
    properties: {
      max_hr: {
        ...number("max_hr"),
        description:
          "Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth " +
          "date is known.",
      },
      speed_ranges: {
        type: "array",
        items: number("speed_ranges"),
        minItems: PARAMETER_SIZES.speed_ranges.minimum,
        maxItems: PARAMETER_SIZES.speed_ranges.maximum,
        uniqueItems: true,
        contains: { const: 0 },
        default: preset.speed_ranges,
        description:
          "Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed.",
      },
      acceleration_thresholds: {
        ...accelerationPair,
        default: preset.acceleration_thresholds,
        description: "Two peak accelerations in m/s2, ascending.",
      },
      deceleration_thresholds: {
        ...accelerationPair,
        default: preset.deceleration_thresholds,
        description: "Two peak decelerations in m/s2, given as positive numbers, ascending.",
      },
      sprint_threshold: {
        ...number("sprint_threshold"),
        default: preset.sprint_threshold,
        description: "Speed in m/s from which a run is a sprint.",
      },
      hid_thresholds: {
        type: "array",
        items: number("hid_thresholds"),
        minItems: 2,
        maxItems: 2,
        uniqueItems: true,
        default: preset.hid_thresholds,
        description: "Two speeds in m/s of high-intensity distance, ascending.",
      },
      intensity_span: {
        ...number("intensity_span"),
        default: preset.intensity_span,
        description: "Length of a slice of intensity in s.",
      },
      standstill_speed: {
        ...number("standstill_speed"),
        default: preset.standstill_speed,
        description: "Mean speed in m/s below which an interval counts as standing.",
      },
      max_valid_speed: {
        ...number("max_valid_speed"),
        default: preset.max_valid_speed,
        description: "Speed in m/s above which a sample is not used; above every limit of speed_ranges.",
      },
      recipes: {
        type: "array",
        items: { oneOf: [RECIPE_BY_NAME, RECIPE_BY_HASH] },
        maxItems: MAX_RECIPES,
        uniqueItems: true,
        description:
          "Recipes of the owner whose counts are added to the computed data, each identified by name and version, or by hash.",
      },
    },
    additionalProperties: true,
    ...(sport === "soccer" ? { examples: [SOCCER_WOMEN_PARAMS, SOCCER_FIFA_BANDS_PARAMS] } : {}),
  };
}

const activityName = (sport: Sport) => `activity_${sport}`;

/** The twelve installed schemas, parents before children. */
export const JSON_SCHEMA_DEFINITIONS: readonly JsonSchemaDefinition[] = [
  ...SPORTS.map((sport) => ({
    name: activityName(sport),
    type: "ACTIVITY" as const,
    sport,
    parent: null,
    schema: activitySchema(sport),
  })),
  ...SPORTS.map((sport) => ({
    name: `timeframe_${sport}`,
    type: "TIMEFRAME" as const,
    sport,
    parent: activityName(sport),
    schema: timeframeSchema(sport),
  })),
];
