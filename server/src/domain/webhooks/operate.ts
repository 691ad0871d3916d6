import { and, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { accounts, activities, webhooks } from "../../store/schema.js";
import { accountByUsername } from "../accounts/find.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { PART_ROWS, type Part, partOf } from "../lists/parts.js";
import { cancelDeliveries } from "./delivery-queue.js";
import type { Webhook } from "./rules.js";
import { changeWebhook } from "./write.js";

export interface WebhookFilters {
  /** Username of the owner of the activities. */
  account?: string | undefined;
  activity?: number | undefined;
  disabled?: boolean | undefined;
}

/** Owner of the activity, or of the webhook itself. */
const ownerOf = sql<number>`coalesce(${webhooks.ownerId}, ${activities.ownerId})`;

/**
 * Returns a part of the list of webhooks for the operator, ordered by id, without secrets.
 * @throws ServiceError `not_found` when the account does not exist
 */
export async function listAllWebhooks(
  { queries }: Context,
  { account, activity, disabled }: WebhookFilters,
  after: number,
): Promise<Part<object>> {
  const ownerId = account === undefined ? undefined : (await accountByUsername(queries, account)).id;
  const rows = await queries
    .select({ webhook: webhooks, owner: accounts.username, id: webhooks.id })
    .from(webhooks)
    .leftJoin(activities, eq(activities.id, webhooks.activityId))
    .innerJoin(accounts, eq(accounts.id, ownerOf))
    .where(
      and(
        gt(webhooks.id, after),
        ownerId === undefined ? undefined : eq(ownerOf, ownerId),
        activity === undefined ? undefined : eq(webhooks.activityId, activity),
        disabled === undefined
          ? undefined
          : disabled
            ? isNotNull(webhooks.disabledAt)
            : isNull(webhooks.disabledAt),
      ),
    )
    .orderBy(webhooks.id)
    .limit(PART_ROWS);
  return partOf(rows, ({ webhook, owner }) => ({
    id: webhook.id,
    activity: webhook.activityId,
    owner,
    url: webhook.webhookUrl,
    activity_events: webhook.activityEvents,
    timeframes_events: webhook.timeframesEvents,
    events: webhook.events,
    failures: webhook.failures,
    created: webhook.createdAt.toISOString(),
    disabled: webhook.disabledAt?.toISOString() ?? null,
  }));
}

/**
 * Disables a webhook for the operator, and cancels its waiting deliveries. Its owner can enable it by an update.
 * @throws ServiceError `not_found`
 */
export async function disableWebhook(ctx: Context, id: number): Promise<Webhook> {
  return transact(ctx, "webhook disable", async (unit) => {
    const { queries, now } = unit;
    const [before] = await queries.select().from(webhooks).where(eq(webhooks.id, id)).for("update");
    if (before === undefined) throw errors.notFound(`There is no webhook ${id}.`);
    if (before.disabledAt !== null) return before;
    await cancelDeliveries(unit, id, "Not sent: the operator of the service has disabled the webhook.");
    return changeWebhook(unit, before, { disabledAt: now });
  });
}
