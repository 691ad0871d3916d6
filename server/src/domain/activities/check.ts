import { GPX_MAX_BYTES } from "../../store/json-schema-definitions.js";
import type { Change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { findJsonSchema, validateAgainst } from "../json-schemas/validate.js";
import type { NewActivity } from "./resource.js";

/**
 * The rules of an activity (operations, items 11 and 51).
 * @returns its columns
 * @throws ServiceError `invalid`, `forbidden`
 */
export async function checkActivity({ caller }: Context, { queries }: Change, activity: NewActivity) {
  const schema = await findJsonSchema(queries, activity.json_schema, "ACTIVITY");
  if (schema === undefined) {
    throw errors.field("json_schema", "There is no JSON schema of type ACTIVITY with this id.");
  }
  const problems = validateAgainst(schema, activity.json);
  if (problems !== undefined) throw errors.invalid({ json: problems });
  const { gpx } = activity.json as { gpx?: unknown };
  // The schema counts characters.
  if (typeof gpx === "string" && Buffer.byteLength(gpx) > GPX_MAX_BYTES) {
    throw errors.invalid({ json: { gpx: ["Ensure this document has no more than 5 MiB."] } });
  }
  if (activity.owner !== caller?.id) throw errors.forbidden("The owner must be yourself.");
  return {
    name: activity.name,
    json: activity.json as Record<string, unknown>,
    jsonSchemaId: activity.json_schema,
    ownerId: activity.owner,
  };
}
