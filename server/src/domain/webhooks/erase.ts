import { type AnyColumn, and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { activities, auditLog, jobs, webhookDeliveries, webhooks } from "../../store/schema.js";
import type { UnitOfWork } from "../unit-of-work.js";

/**
 * Removes the webhooks of the account's activities, and what was and is to be sent by those and by earlier ones. The
 * webhooks first: a change that is under way writes deliveries while it holds them.
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
  const isTheirs = (column: AnyColumn): SQL =>
    sql`(${column} = ANY(${sql.param(gone.map((webhook) => webhook.id))}::bigint[]) OR ${column} IN ${earlier})`;
  const carriers = queries.select({ id: jobs.id }).from(jobs).where(eq(jobs.chargedTo, id));
  await queries
    .delete(webhookDeliveries)
    .where(or(isTheirs(webhookDeliveries.webhookId), inArray(webhookDeliveries.jobId, carriers)));
  // The service itself changes webhooks too, when their receivers fail.
  await queries
    .update(auditLog)
    .set({ before: null, after: null })
    .where(and(eq(auditLog.entity, "webhook"), isTheirs(auditLog.entityId)));
}
