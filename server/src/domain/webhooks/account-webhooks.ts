import type { StaticDecode } from "@sinclair/typebox";
import { and, asc, count, eq, gt } from "drizzle-orm";
import { isWaiting } from "../../store/queue/job-queue.js";
import { type DeliveryState, jobs, webhookDeliveries, webhooks } from "../../store/schema.js";
import { lockAccount } from "../change/account-lock.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { cursorPage } from "../lists/cursor-page.js";
import { encryptSecret } from "../secrets/secrets.js";
import { ACCOUNT_TEST_EVENT } from "./account-events.js";
import {
  type AccountDeliveryFilters,
  type AccountWebhookFields,
  type AccountWebhookFilters,
  accountWebhookItem,
  toAccountDelivery,
  toAccountWebhook,
} from "./account-resource.js";
import { newSecret } from "./account-secrets.js";
import { sendAgain, sendTest } from "./deliveries.js";
import { requirePublicReceiver } from "./public-receiver.js";
import type { Delivery } from "./rules.js";
import { addWebhook, changeWebhook, ENABLED, removeWebhook } from "./write.js";

/** Maximum number of webhooks of an account. Every event calls each of them. */
const MAX_WEBHOOKS = 20;

export const listAccountWebhooks = (ctx: Context, paging: StaticDecode<typeof AccountWebhookFilters>) =>
  cursorPage(paging, toAccountWebhook, (after, limit) =>
    ctx.queries
      .select()
      .from(webhooks)
      .where(and(eq(webhooks.ownerId, ctx.caller?.id ?? 0), gt(webhooks.id, after)))
      .orderBy(asc(webhooks.id))
      .limit(limit),
  );

/** @throws ServiceError `invalid`, `too_many_webhooks` */
export async function createAccountWebhook(ctx: Context, { url, events }: AccountWebhookFields) {
  await requirePublicReceiver(ctx, "url", url);
  const secret = newSecret();
  return change(ctx, "createAccountWebhook", {}, async (unit) => {
    const { queries } = unit;
    const ownerId = ctx.caller?.id ?? 0;
    await lockAccount(unit, ownerId);
    const [known] = await queries
      .select({ count: count() })
      .from(webhooks)
      .where(eq(webhooks.ownerId, ownerId));
    if ((known?.count ?? 0) >= MAX_WEBHOOKS) {
      throw errors.conflict("too_many_webhooks", `An account can have at most ${MAX_WEBHOOKS} webhooks.`);
    }
    const row = await addWebhook(unit, {
      ownerId,
      events: [...events],
      webhookUrl: url,
      secretToken: await encryptSecret(ctx, queries, secret),
      activityEvents: false,
      timeframesEvents: false,
    });
    return { ...toAccountWebhook(row), secret };
  });
}

/** Changes the fields sent. Enables a disabled webhook; events that occurred while it was disabled are not delivered. */
export async function updateAccountWebhook(
  ctx: Context,
  ids: { webhook: number },
  { url, events }: Partial<AccountWebhookFields>,
) {
  if (url !== undefined) await requirePublicReceiver(ctx, "url", url);
  return change(
    ctx,
    "updateAccountWebhook",
    ids,
    async (unit, before) => {
      const after = await changeWebhook(unit, before, {
        ...ENABLED,
        webhookUrl: url ?? before.webhookUrl,
        events: events === undefined ? before.events : [...events],
      });
      return accountWebhookItem(after);
    },
    async (_, row) => accountWebhookItem(row),
  );
}

/** Deletes a webhook and cancels its waiting deliveries. */
export const deleteAccountWebhook = (ctx: Context, ids: { webhook: number }): Promise<void> =>
  change(ctx, "deleteAccountWebhook", ids, removeWebhook, async (_, row) => accountWebhookItem(row));

export const listAccountDeliveries = (
  { queries }: Context,
  webhookId: number,
  { state, ...paging }: StaticDecode<typeof AccountDeliveryFilters>,
) =>
  cursorPage(
    paging,
    ({ delivery, dueAt }: { id: number; delivery: Delivery; dueAt: Date | null }) =>
      toAccountDelivery(delivery, dueAt),
    (after, limit) =>
      queries
        .select({ id: webhookDeliveries.id, delivery: webhookDeliveries, dueAt: jobs.dueAt })
        .from(webhookDeliveries)
        .leftJoin(jobs, and(eq(jobs.id, webhookDeliveries.jobId), isWaiting))
        .where(
          and(
            eq(webhookDeliveries.webhookId, webhookId),
            gt(webhookDeliveries.id, after),
            state === undefined ? undefined : eq(webhookDeliveries.state, state as DeliveryState),
          ),
        )
        .orderBy(asc(webhookDeliveries.id))
        .limit(limit),
  );

/** Sends the event of a delivery again immediately, with the same `webhook-id`, to the current URL of the webhook. */
export const resendAccountDelivery = (ctx: Context, ids: { webhook: number; delivery: number }) =>
  change(ctx, "resendAccountDelivery", ids, async (unit, { webhook, delivery }) =>
    toAccountDelivery(await sendAgain(ctx, unit, webhook, delivery), unit.now),
  );

/** Calls the webhook once with a test event. A failure is not retried and does not count. */
export const testAccountWebhook = (ctx: Context, ids: { webhook: number }) =>
  change(ctx, "testAccountWebhook", ids, async (unit, webhook) =>
    toAccountDelivery(
      await sendTest(ctx, unit, webhook, { event: ACCOUNT_TEST_EVENT, data: { webhook: webhook.id } }),
      unit.now,
    ),
  );
