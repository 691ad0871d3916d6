import { asc, count, eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { webhooks } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { listPage, type Paging } from "../lists/listing.js";
import { decryptSecret, encryptSecret } from "../secrets/secrets.js";
import { requirePublicReceiver } from "./public-receiver.js";
import { mask, toWebhook, type WebhookFields, webhookItem } from "./resource.js";
import type { Webhook } from "./rules.js";
import { addWebhook, changeWebhook, ENABLED, removeWebhook } from "./write.js";

/** Maximum number of webhooks of an activity. Every event calls each of them. */
const MAX_WEBHOOKS = 100;

export async function listWebhooks(ctx: Context, activity: number, query: Paging) {
  const page = await listPage(
    ctx.queries,
    ctx.queries.select().from(webhooks).where(eq(webhooks.activityId, activity)).$dynamic(),
    [asc(webhooks.id)],
    query,
    (row) => row,
  );
  return { ...page, results: await Promise.all(page.results.map((row) => toWebhook(ctx, row))) };
}

export async function createWebhook(ctx: Context, activity: number, body: WebhookFields) {
  await requirePublicReceiver(ctx, "webhook_url", body.webhook_url);
  return change(ctx, "createWebhook", { activity }, async (unit) => {
    const { queries } = unit;
    const [known] = await queries
      .select({ count: count() })
      .from(webhooks)
      .where(eq(webhooks.activityId, activity));
    if ((known?.count ?? 0) >= MAX_WEBHOOKS) {
      throw errors.conflict("too_many_webhooks", `An activity can have at most ${MAX_WEBHOOKS} webhooks.`);
    }
    const row = await addWebhook(unit, {
      activityId: activity,
      webhookUrl: body.webhook_url,
      secretToken: await encryptSecret(ctx, queries, body.secret_token),
      activityEvents: body.activity_events,
      timeframesEvents: body.timeframes_events,
    });
    return webhookItem(ctx, row, queries);
  });
}

/** Changes the fields sent. Enables a disabled webhook; events that occurred while it was disabled are not delivered. */
export async function updateWebhook(
  ctx: Context,
  ids: { activity: number; webhook: number },
  body: Partial<WebhookFields>,
) {
  if (body.webhook_url !== undefined) await requirePublicReceiver(ctx, "webhook_url", body.webhook_url);
  return change(
    ctx,
    "updateWebhook",
    ids,
    async (unit, before) => {
      const { queries } = unit;
      const after = await changeWebhook(unit, before, {
        ...ENABLED,
        webhookUrl: body.webhook_url ?? before.webhookUrl,
        secretToken: await newSecret(ctx, queries, body, before),
        activityEvents: body.activity_events ?? before.activityEvents,
        timeframesEvents: body.timeframes_events ?? before.timeframesEvents,
      });
      return webhookItem(ctx, after, queries);
    },
    ({ queries }, row) => webhookItem(ctx, row, queries),
  );
}

/**
 * Returns the secret after an update. A client that sends back the masked secret does not change it. A new origin requires the
 * secret, because calls contain it, and someone who has found a token must not obtain it by redirecting the calls.
 * @throws ServiceError `secret_token_required` on the field `secret_token`
 */
async function newSecret(
  ctx: Context,
  queries: Queries,
  { secret_token: sent, webhook_url: url }: Partial<WebhookFields>,
  { secretToken, webhookUrl }: Webhook,
): Promise<string> {
  if (sent !== undefined && sent !== mask(await decryptSecret(ctx, queries, secretToken)))
    return encryptSecret(ctx, queries, sent);
  if (url !== undefined && new URL(url).origin !== new URL(webhookUrl).origin)
    throw errors.field(
      "secret_token",
      "Send the secret too, in full: the URL has another scheme, host or port, and every call contains the secret.",
      "secret_token_required",
    );
  return secretToken;
}

/** Deletes a webhook and cancels its waiting deliveries. */
export const deleteWebhook = (ctx: Context, ids: { activity: number; webhook: number }): Promise<void> =>
  change(ctx, "deleteWebhook", ids, removeWebhook, ({ queries }, row) => webhookItem(ctx, row, queries));
