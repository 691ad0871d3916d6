import { and, eq } from "drizzle-orm";
import { webhookDeliveries, webhooks } from "../../store/schema.js";
import { ownActivity } from "../activities/rules.js";
import { errors } from "../change/errors.js";
import type { Lookup, Rule } from "../change/rule.js";

export type Webhook = typeof webhooks.$inferSelect;
export type Delivery = typeof webhookDeliveries.$inferSelect;

/** Throws `not_found` for a webhook of another activity. */
export const ownWebhook: Rule<"activity" | "webhook", Webhook> = {
  ...ownActivity,
  async find(ctx, ids, lookup) {
    await ownActivity.find(ctx, ids, lookup);
    const query = lookup.queries
      .select()
      .from(webhooks)
      .where(and(eq(webhooks.id, ids.webhook), eq(webhooks.activityId, ids.activity)));
    const [webhook] = await (lookup.lock ? query.for("update") : query);
    if (webhook === undefined) throw errors.notFound();
    return webhook;
  },
};

export const ownDelivery: Rule<
  "activity" | "webhook" | "delivery",
  { webhook: Webhook; delivery: Delivery }
> = {
  ...ownActivity,
  async find(ctx, ids, lookup) {
    const webhook = await ownWebhook.find(ctx, ids, lookup);
    return { webhook, delivery: await deliveryOf(webhook.id, ids.delivery, lookup) };
  },
};

/** Throws `not_found` for a webhook of another account. */
export const ownAccountWebhook: Rule<"webhook", Webhook> = {
  description: "The manager who owns the webhook",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    const query = queries
      .select()
      .from(webhooks)
      .where(and(eq(webhooks.id, ids.webhook), eq(webhooks.ownerId, caller?.id ?? 0)));
    const [webhook] = await (lock ? query.for("update") : query);
    if (webhook === undefined) throw errors.notFound();
    return webhook;
  },
};

export const ownAccountDelivery: Rule<"webhook" | "delivery", { webhook: Webhook; delivery: Delivery }> = {
  ...ownAccountWebhook,
  async find(ctx, ids, lookup) {
    const webhook = await ownAccountWebhook.find(ctx, ids, lookup);
    return { webhook, delivery: await deliveryOf(webhook.id, ids.delivery, lookup) };
  },
};

async function deliveryOf(webhookId: number, id: number, { queries, lock }: Lookup): Promise<Delivery> {
  const query = queries
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.webhookId, webhookId)));
  const [delivery] = await (lock ? query.for("update") : query);
  if (delivery === undefined) throw errors.notFound();
  return delivery;
}
