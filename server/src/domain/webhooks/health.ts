import { and, eq, gt, gte, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { webhooks } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { isTest } from "./account-events.js";
import { cancelDeliveries } from "./delivery-queue.js";
import type { Delivery, Webhook } from "./rules.js";

/** Number of consecutive exhausted deliveries after which the webhook is disabled. */
const MAX_EXHAUSTED = 20;

/** Status with which a receiver unsubscribes (410 Gone). It disables the webhook immediately. */
export const GONE = 410;

/** Whether the next exhausted delivery of a webhook disables it, or it is disabled. */
const failsTooOften = (webhook: SQL | undefined): SQL => sql`EXISTS (SELECT FROM ${webhooks}
  WHERE ${and(webhook, or(isNotNull(webhooks.disabledAt), gte(webhooks.failures, MAX_EXHAUSTED - 1)))})`;

/** Counts exhausted deliveries of the webhook. Disables it if its receiver has unsubscribed or failed too often. */
export async function updateWebhookHealth(
  unit: UnitOfWork,
  delivery: Delivery,
  state: string,
  status: number | null,
): Promise<void> {
  const { queries, now, announce } = unit;
  const { webhookId, url, event } = delivery;
  // A response from an earlier URL does not count for the current one.
  const current = and(eq(webhooks.id, webhookId), eq(webhooks.webhookUrl, url));
  if (state === "delivered") {
    await queries
      .update(webhooks)
      .set({ failures: 0 })
      .where(and(current, gt(webhooks.failures, 0)));
  } else if (state === "failed" && (status === GONE || !isTest(event))) {
    const [before] = await queries
      .select()
      .from(webhooks)
      .where(and(current, isNull(webhooks.disabledAt)))
      .for("update");
    const disabled = status === GONE || (before !== undefined && before.failures + 1 >= MAX_EXHAUSTED);
    // Each part checks the reason again, because the receiver may have responded meanwhile.
    const hasReason = status === GONE ? undefined : failsTooOften(current);
    const others = sql`url = ${url} AND id <> ${delivery.id}`;
    if (disabled)
      await cancelDeliveries(unit, webhookId, "Not sent: the webhook was disabled.", and(others, hasReason));
    if (before === undefined) return;
    const [after] = await queries
      .update(webhooks)
      .set({ failures: sql`${webhooks.failures} + 1`, disabledAt: disabled ? now : null })
      .where(eq(webhooks.id, webhookId))
      .returning();
    if (disabled) await announce("webhookChanged", { before, after: (after as Webhook | undefined) ?? null });
  }
}
