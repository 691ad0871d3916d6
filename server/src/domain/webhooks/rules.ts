import { and, eq } from "drizzle-orm";
import { webhookDeliveries, webhooks } from "../../store/schema.js";
import { ownActivity } from "../activities/rules.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

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
    const query = lookup.queries
      .select()
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.id, ids.delivery), eq(webhookDeliveries.webhookId, ids.webhook)));
    const [delivery] = await (lookup.lock ? query.for("update") : query);
    if (delivery === undefined) throw errors.notFound();
    return { webhook, delivery };
  },
};
