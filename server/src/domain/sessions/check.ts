import type { Sport } from "asi-convert/metrics";
import { eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { jsonSchemas } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import { MAX_HOURS } from "./resource.js";

const HOUR_MS = 3_600_000;

/** @throws ServiceError `invalid` */
export function requireTimes(start: Date, end: Date): void {
  const lengthMs = end.getTime() - start.getTime();
  if (lengthMs <= 0) throw errors.field("end_time", "Must be after start_time.");
  if (lengthMs > MAX_HOURS * HOUR_MS)
    throw errors.field("end_time", `Must be at most ${MAX_HOURS} hours after start_time.`);
}

/** Returns the id of the JSON schema for activities of a sport. */
export async function activitySchemaOf(queries: Queries, sport: Sport): Promise<number> {
  const [schema] = await queries
    .select({ id: jsonSchemas.id })
    .from(jsonSchemas)
    .where(eq(jsonSchemas.name, `activity_${sport}`));
  if (schema === undefined) throw new Error(`There is no JSON schema of ${sport}`);
  return schema.id;
}
