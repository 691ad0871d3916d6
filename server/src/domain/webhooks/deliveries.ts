import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { isWaiting, NOBODY } from "../../store/queue/job-queue.js";
import { jobs, webhookDeliveries } from "../../store/schema.js";
import { ordering, PageQuery, Query } from "../../wire/types.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { listPage, orderBy } from "../lists/listing.js";
import type { NewDelivery } from "./delivery-limits.js";
import { createDelivery, enqueueDelivery } from "./delivery-queue.js";
import { TEST_EVENT, toDelivery } from "./resource.js";
import type { Delivery, Webhook } from "./rules.js";

const orderings = { created_at: webhookDeliveries.createdAt };

export const DeliveryFilters = Type.Object({
  ...PageQuery,
  ordering: ordering(Object.keys(orderings)),
  event: Query.text("Equals"),
  state: Query.text("Equals: pending, retrying, delivered, failed"),
});

/** Lists the deliveries of the webhook and their outcomes. */
export const listDeliveries = (
  { queries }: Context,
  webhookId: number,
  filters: StaticDecode<typeof DeliveryFilters>,
) =>
  listPage(
    queries,
    queries
      .select({ delivery: webhookDeliveries, dueAt: jobs.dueAt })
      .from(webhookDeliveries)
      .leftJoin(jobs, and(eq(jobs.id, webhookDeliveries.jobId), isWaiting))
      .where(
        and(
          eq(webhookDeliveries.webhookId, webhookId),
          filters.event === undefined ? undefined : eq(webhookDeliveries.event, filters.event),
          filters.state === undefined ? undefined : eq(webhookDeliveries.state, filters.state as "pending"),
        ),
      )
      .$dynamic(),
    orderBy(filters.ordering, orderings, webhookDeliveries.id),
    filters,
    ({ delivery, dueAt }) => toDelivery(delivery, dueAt),
  );

/** Sends the event of a delivery again immediately, with the same `webhook-id`, to the current URL of the webhook. */
export const resendDelivery = (ctx: Context, ids: { activity: number; webhook: number; delivery: number }) =>
  change(ctx, "resendDelivery", ids, async (unit, { webhook, delivery }) =>
    toDelivery(await sendAgain(ctx, unit, webhook, delivery), unit.now),
  );

/** @returns the delivery, which waits again */
export async function sendAgain(
  ctx: Context,
  unit: UnitOfWork,
  webhook: Webhook,
  delivery: Delivery,
): Promise<Delivery> {
  const [after] = await unit.queries
    .update(webhookDeliveries)
    .set({
      url: webhook.webhookUrl,
      secretToken: webhook.secretToken,
      state: "pending",
      attempts: 0,
      // A delivery that counts unsent events stops counting; later events use another one.
      unsent: null,
      // Its previous job does nothing.
      jobId: await enqueueDelivery(unit, ctx.caller?.id ?? NOBODY, {
        url: webhook.webhookUrl,
        secretToken: webhook.secretToken,
      }),
    })
    .where(eq(webhookDeliveries.id, delivery.id))
    .returning();
  if (after === undefined) throw new Error("The delivery was not updated");
  await unit.announce("deliveryChanged", { before: delivery, after });
  return after;
}

/** Calls the webhook once with a test event. A failure is not retried and does not count. */
export const testWebhook = (ctx: Context, ids: { activity: number; webhook: number }) =>
  change(ctx, "testWebhook", ids, async (unit, webhook) =>
    toDelivery(
      await sendTest(ctx, unit, webhook, { event: TEST_EVENT, data: { activity_id: ids.activity } }),
      unit.now,
    ),
  );

/** @returns the delivery of a test event, which waits */
export async function sendTest(
  ctx: Context,
  unit: UnitOfWork,
  webhook: Webhook,
  test: Pick<NewDelivery, "event" | "data">,
): Promise<Delivery> {
  const delivery = await createDelivery(unit, ctx.caller?.id ?? NOBODY, {
    ...test,
    webhookId: webhook.id,
    url: webhook.webhookUrl,
    secretToken: webhook.secretToken,
  });
  await unit.announce("deliveryChanged", { before: null, after: delivery });
  return delivery;
}
