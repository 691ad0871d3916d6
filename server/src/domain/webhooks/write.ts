import { eq, sql } from "drizzle-orm";
import { webhooks } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { cancelDeliveries } from "./delivery-queue.js";
import type { Webhook } from "./rules.js";

type NewWebhook = Omit<typeof webhooks.$inferInsert, "createdAt">;

/** Values that enable a disabled webhook. */
export const ENABLED = { failures: 0, disabledAt: null };

/** Adds a webhook, within the caller's transaction. */
export async function addWebhook(
  { queries, now, announce }: UnitOfWork,
  values: NewWebhook,
): Promise<Webhook> {
  const [row] = await queries
    .insert(webhooks)
    .values({ ...values, createdAt: now })
    .returning();
  if (row === undefined) throw new Error("The webhook was not inserted");
  await announce("webhookChanged", { before: null, after: row });
  return row;
}

/** Changes the given columns of a webhook, within the caller's transaction. */
export async function changeWebhook(
  { queries, announce }: UnitOfWork,
  before: Webhook,
  values: Partial<NewWebhook>,
): Promise<Webhook> {
  const [after] = await queries
    .update(webhooks)
    .set({ ...values, version: sql`${webhooks.version} + 1` })
    .where(eq(webhooks.id, before.id))
    .returning();
  if (after === undefined) throw new Error("The webhook was not updated");
  await announce("webhookChanged", { before, after });
  return after;
}

/** Cancels the waiting deliveries of a webhook, and removes it. After an interruption, the client repeats the request. */
export async function removeWebhook(unit: UnitOfWork, before: Webhook): Promise<void> {
  await cancelDeliveries(unit, before.id, "Not sent: the webhook was deleted.");
  await unit.queries.delete(webhooks).where(eq(webhooks.id, before.id));
  await unit.announce("webhookChanged", { before, after: null });
}
