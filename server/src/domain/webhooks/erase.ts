import { and, eq, inArray, sql } from "drizzle-orm";
import { activities, auditLog, jobs, webhookDeliveries, webhooks } from "../../store/schema.js";
import { deleting, type Erasing } from "../accounts/erase.js";
import { changeInParts } from "../change/begin-again.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

const anyOf = (ids: readonly number[]) => sql`ANY(${sql.param([...ids])}::bigint[])`;

/** Erases the deliveries of webhooks. */
export const deliveriesOf = (ids: readonly number[]): Erasing =>
  deleting(webhookDeliveries, sql`webhook_id = ${anyOf(ids)}`);

/** Returns the ids of the webhooks of activities. */
export const webhooksOf = async (
  { queries }: UnitOfWork,
  activityIds: readonly number[],
): Promise<number[]> => {
  const rows = await queries
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(inArray(webhooks.activityId, [...activityIds]));
  return rows.map(({ id }) => id);
};

/**
 * Deletes webhooks, and deliveries added after the others were erased. Deletes the webhooks first, because a concurrent change
 * locks them while it inserts deliveries. Also erases their audited values, including changes by the service after failures of a
 * receiver.
 */
export async function deleteWebhooks({ queries }: UnitOfWork, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await queries.delete(webhooks).where(sql`${webhooks.id} = ${anyOf(ids)}`);
  await queries.delete(webhookDeliveries).where(sql`${webhookDeliveries.webhookId} = ${anyOf(ids)}`);
  await eraseValues({ queries }, ids);
}

const eraseValues = ({ queries }: Pick<UnitOfWork, "queries">, ids: readonly number[]) =>
  queries
    .update(auditLog)
    .set({ before: null, after: null })
    .where(
      and(
        eq(auditLog.entity, "webhook"),
        sql`${auditLog.entityId} = ${anyOf(ids)}`,
        sql`(before IS NOT NULL OR after IS NOT NULL)`,
      ),
    );

/** Number of earlier deleted webhooks whose deliveries one transaction erases. */
const WEBHOOKS_AT_A_TIME = 50;

/**
 * Finds webhooks of the account with ids above `afterId` in the audit log, including deleted webhooks.
 * @returns ids in ascending order; empty after the last one
 */
export async function nextWebhooks(
  { queries }: UnitOfWork,
  accountId: number,
  afterId: number,
): Promise<number[]> {
  // The literal makes the database use the partial index.
  const rows = await queries
    .selectDistinct({ id: auditLog.entityId })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.accountId, accountId),
        sql`${auditLog.entity} = 'webhook'`,
        sql`${auditLog.entityId} > ${afterId}`,
      ),
    )
    .orderBy(auditLog.entityId)
    .limit(WEBHOOKS_AT_A_TIME);
  return rows.map(({ id }) => id);
}

/**
 * Erases the webhook jobs of an account with their deliveries, including deliveries of webhooks that are deleted and
 * missing from the audit log.
 */
export const carriersOf =
  (accountId: number, condition = sql`true`): Erasing =>
  async (queries, limit) => {
    const { rows } = await queries.execute<{ count: number }>(sql`
      WITH carriers AS (
        DELETE FROM ${jobs} WHERE id = ANY(ARRAY(
          SELECT id FROM ${jobs} WHERE charged_to = ${accountId} AND kind IN ('webhook', 'webhook-fan-out') AND ${condition}
          LIMIT ${limit} FOR UPDATE
        )) RETURNING id
      ), deliveries AS (
        DELETE FROM ${webhookDeliveries} WHERE job_id IN (SELECT id FROM carriers)
      )
      SELECT count(*)::int AS count FROM carriers`);
    return Number(rows[0]?.count ?? 0);
  };

/** Ends the waiting deliveries of a closed account: at most `WEBHOOK_MAX_PENDING`, and the jobs that write deliveries. */
export const endDeliveries = (unit: UnitOfWork, accountId: number): Promise<void> =>
  changeInParts(unit, carriersOf(accountId, sql`state IN ('PENDING', 'RETRY', 'STARTED')`));

/** Removes webhooks, deliveries and jobs that concurrent requests have added since the account was closed. */
export async function eraseWebhooks(unit: UnitOfWork, id: number): Promise<void> {
  const { queries } = unit;
  const ids = { id: webhooks.id };
  const ofActivities = queries
    .select(ids)
    .from(webhooks)
    .innerJoin(activities, eq(activities.id, webhooks.activityId))
    .where(eq(activities.ownerId, id));
  const ofAccount = queries.select(ids).from(webhooks).where(eq(webhooks.ownerId, id));
  const theirs = await ofActivities.unionAll(ofAccount);
  await deleteWebhooks(
    unit,
    theirs.map((webhook) => webhook.id),
  );
  await carriersOf(id)(queries, Number.MAX_SAFE_INTEGER);
}
