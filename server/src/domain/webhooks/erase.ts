import { type AnyColumn, and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { activities, auditLog, jobs, webhookDeliveries, webhooks } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/**
 * Removes the webhooks of the account's activities, and all deliveries of these webhooks and of those deleted earlier, with
 * the jobs that would write more.
 * Removes the webhooks first, because a concurrent change inserts deliveries while it has them locked.
 */
export async function eraseWebhooks({ queries }: UnitOfWork, id: number): Promise<void> {
  const theirs = queries.select({ id: activities.id }).from(activities).where(eq(activities.ownerId, id));
  const gone = await queries
    .delete(webhooks)
    .where(inArray(webhooks.activityId, theirs))
    .returning({ id: webhooks.id });
  const earlier = queries
    .select({ id: auditLog.entityId })
    .from(auditLog)
    .where(and(eq(auditLog.accountId, id), eq(auditLog.entity, "webhook")));
  // Arrays, because the database searches an index for their elements; with OR and IN it reads the whole table.
  const isTheirs = (column: AnyColumn): SQL =>
    sql`${column} = ANY(${sql.param(gone.map((webhook) => webhook.id))}::bigint[] || ARRAY(${earlier}))`;
  const carriers = queries.select({ id: jobs.id }).from(jobs).where(eq(jobs.chargedTo, id));
  await queries
    .delete(webhookDeliveries)
    .where(
      or(isTheirs(webhookDeliveries.webhookId), sql`${webhookDeliveries.jobId} = ANY(ARRAY(${carriers}))`),
    );
  await queries.delete(jobs).where(and(eq(jobs.kind, "webhook-fan-out"), eq(jobs.chargedTo, id)));
  // The service also changes webhooks, when their receivers fail.
  await queries
    .update(auditLog)
    .set({ before: null, after: null })
    .where(and(eq(auditLog.entity, "webhook"), isTheirs(auditLog.entityId)));
}
