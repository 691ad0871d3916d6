import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { activities } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceActivityQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { checkActivity, requireSchemaOfTimeframes } from "./check.js";
import { activityItem, activityTag, type NewActivity } from "./resource.js";
import { type ActivityHead, readActivity } from "./rules.js";

/**
 * Returns the new `json` of an update. The value can be several megabytes. An unchanged value is therefore read only
 * for the comparison, not written, and validated again only if the schema changes.
 */
async function jsonChange({ queries }: UnitOfWork, before: ActivityHead, body: Partial<NewActivity>) {
  const hasOtherSchema = body.json_schema !== undefined && body.json_schema !== before.jsonSchemaId;
  if (body.json === undefined && !hasOtherSchema) return undefined;
  const { json } = await readActivity(queries, before);
  const after = body.json ?? json;
  const isSame = isDeepStrictEqual(after, json);
  return isSame && !hasOtherSchema ? undefined : { before: json, after };
}

/** Returns the number of characters of `json` as text, without serialising a course. */
function sizeOf({ gpx, ...rest }: Record<string, unknown>): number {
  return typeof gpx === "string"
    ? JSON.stringify(rest).length + gpx.length
    : JSON.stringify({ gpx, ...rest }).length;
}

/** Updates an activity; absent fields do not change. Queues a new computation for all time frames of the activity. */
export async function updateActivity(ctx: Context, { id }: ActivityHead, body: Partial<NewActivity>) {
  return change(
    ctx,
    "updateActivity",
    { activity: id },
    async (unit, before) => {
      const { name, jsonSchemaId: json_schema, ownerId: owner } = before;
      const changed = await jsonChange(unit, before, body);
      const columns = await checkActivity(ctx, unit, { name, json_schema, owner, ...body }, changed?.after);
      if (columns.jsonSchemaId !== before.jsonSchemaId) {
        await requireSchemaOfTimeframes(unit, id, columns.jsonSchemaId);
      }
      const [after] = await unit.queries
        .update(activities)
        .set({ ...columns, version: sql`${activities.version} + 1` })
        .where(eq(activities.id, id))
        .returning();
      if (after === undefined) throw errors.notFound();
      if (changed !== undefined && sizeOf(changed.after) > sizeOf(changed.before)) {
        await enforceActivityQuota(unit, after.ownerId);
      }
      const { json, ...head } = after;
      await unit.announce(
        "activityUpdated",
        changed === undefined
          ? { before, after: head }
          : { before: { ...before, json: changed.before }, after: { ...head, json } },
      );
      return activityItem(after);
    },
    (_, target) => activityTag(target),
  );
}
