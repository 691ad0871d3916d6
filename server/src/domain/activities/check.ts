import { and, eq, ne } from "drizzle-orm";
import { GPX_MAX_BYTES } from "../../store/json-schema-definitions.js";
import { activities, jsonSchemas, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { JsonSchemaRow } from "../json-schemas/rules.js";
import { findJsonSchema, validateAgainst } from "../json-schemas/validate.js";
import { boundsProblem } from "../lists/json-bounds.js";
import type { NewActivity } from "./resource.js";

/** Returns `json` with the sport in lower case, for validation. Sports are compared case-insensitively and stored as sent. */
const withPlainSport = (json: { sport?: unknown }) =>
  typeof json.sport === "string" ? { ...json, sport: json.sport.toLowerCase() } : json;

/**
 * Requires that the JSON schemas of an activity and of its time frames belong to the same sport.
 * @throws ServiceError `invalid`: a time frame has a JSON schema of another sport
 */
export async function requireSchemaOfTimeframes(
  { queries }: UnitOfWork,
  activityId: number,
  jsonSchemaId: number,
  field = "json_schema",
) {
  // The lock prevents adding time frames to the activity.
  await queries
    .select({ id: activities.id })
    .from(activities)
    .where(eq(activities.id, activityId))
    .for("update");
  const others = await queries
    .select({ id: timeframes.id })
    .from(timeframes)
    .innerJoin(jsonSchemas, eq(jsonSchemas.id, timeframes.jsonSchemaId))
    .where(and(eq(timeframes.activityId, activityId), ne(jsonSchemas.parentId, jsonSchemaId)))
    .limit(1);
  if (others.length === 0) return;
  throw errors.field(field, "The activity has time frames whose JSON schemas belong to another JSON schema.");
}

/**
 * Checks an activity.
 * @param json the new `json`; undefined when neither the value nor its schema changes
 * @returns its columns
 * @throws ServiceError `invalid`, `forbidden`
 */
export async function checkActivity(
  { caller }: Context,
  { queries }: UnitOfWork,
  activity: Omit<NewActivity, "json">,
  json: object | undefined,
) {
  if (json !== undefined) {
    const schema = await findJsonSchema(queries, activity.json_schema, "ACTIVITY");
    if (schema === undefined) {
      throw errors.field("json_schema", "There is no JSON schema of type ACTIVITY with this id.");
    }
    checkJson(schema, json);
  }
  if (activity.owner !== caller?.id) throw errors.forbidden("The owner must be yourself.");
  return {
    name: activity.name,
    jsonSchemaId: activity.json_schema,
    ownerId: activity.owner,
    ...(json === undefined ? {} : { json: json as Record<string, unknown> }),
  };
}

function checkJson(schema: JsonSchemaRow, json: object): void {
  const { gpx, ...rest } = json as { gpx?: unknown };
  const tooMuch = boundsProblem(typeof gpx === "string" ? rest : json);
  if (tooMuch !== undefined) throw errors.field("json", tooMuch);
  const problems = validateAgainst(schema, withPlainSport(json));
  if (problems !== undefined) throw errors.invalid({ json: problems });
  // `maxLength` counts characters, not bytes.
  if (typeof gpx === "string" && Buffer.byteLength(gpx) > GPX_MAX_BYTES) {
    throw errors.invalid({ json: { gpx: ["Ensure this document has no more than 5 MiB."] } });
  }
}
