import { eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { webhookDeliveries, webhooks } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { cancelDeliveries, unsentOf } from "./delivery-queue.js";
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

/** Number of deliveries that one transaction cancels, because other transactions wait for it. */
const CANCELLED_AT_A_TIME = 1_000;

/**
 * Cancels the waiting deliveries of a webhook in batches, each in a separate transaction, until the rest fits into one
 * transaction, which also removes the webhook. After an interruption, the client repeats the request.
 * @param remove runs work in a transaction that locks the webhook and checks the caller's right
 */
export async function removeWebhook(
  queries: Queries,
  id: number,
  remove: (work: (unit: UnitOfWork, before: Webhook) => Promise<void>) => Promise<void>,
): Promise<void> {
  const cancel = (unit: UnitOfWork, limit: { limit?: number } = {}) =>
    cancelDeliveries(unit, id, "Not sent: the webhook was deleted.", limit);
  while ((await queries.$count(webhookDeliveries, unsentOf(id))) > CANCELLED_AT_A_TIME)
    await remove((unit) => cancel(unit, { limit: CANCELLED_AT_A_TIME }));
  await remove(async (unit, before) => {
    await cancel(unit);
    await unit.queries.delete(webhooks).where(eq(webhooks.id, id));
    await unit.announce("webhookChanged", { before, after: null });
  });
}
