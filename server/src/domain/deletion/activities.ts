import { eq, inArray, sql } from "drizzle-orm";
import { activities, timeframes } from "../../store/schema.js";
import { eraseSome } from "../accounts/erase.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { deleteTimeframes } from "../timeframes/remove.js";
import { deleteWebhooks, deliveriesOf, webhooksOf } from "../webhooks/erase.js";

/** Limits on one transaction: activities, their stored bytes (unless the first has more), and time frames. */
const ACTIVITIES_AT_A_TIME = 50;
const BYTES_AT_A_TIME = 4 * 1024 * 1024;
const TIMEFRAMES_AT_A_TIME = 100;

/**
 * Removes some activities of a closed account, with their time frames and their webhooks. No event is sent. Can be
 * interrupted and called again.
 * @returns whether there is more to remove; if so, call it again in another transaction
 */
export async function eraseActivities(unit: UnitOfWork, ownerId: number): Promise<boolean> {
  const { queries } = unit;
  const ids = await firstOf(unit, ownerId);
  if (ids.length === 0) return false;
  const webhooks = await webhooksOf(unit, ids);
  if (await eraseSome(unit, [deliveriesOf(webhooks)])) return true;
  await deleteWebhooks(unit, webhooks);
  const frames = inArray(timeframes.activityId, ids);
  const count = await queries.$count(timeframes, frames);
  await deleteTimeframes(unit, frames, { withActivity: true, limit: TIMEFRAMES_AT_A_TIME });
  if (count > TIMEFRAMES_AT_A_TIME) return true;
  await queries.delete(activities).where(inArray(activities.id, ids));
  await unit.announce("activitiesErased", { ids });
  return true;
}

async function firstOf({ queries }: UnitOfWork, ownerId: number): Promise<number[]> {
  const rows = await queries
    .select({ id: activities.id, bytes: sql<number>`pg_column_size(${activities.json})`.mapWith(Number) })
    .from(activities)
    .where(eq(activities.ownerId, ownerId))
    .orderBy(activities.id)
    .limit(ACTIVITIES_AT_A_TIME);
  let bytes = 0;
  return rows
    .filter((row, place) => {
      bytes += row.bytes;
      return place === 0 || bytes <= BYTES_AT_A_TIME;
    })
    .map(({ id }) => id);
}
