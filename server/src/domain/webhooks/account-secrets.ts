import { randomBytes } from "node:crypto";
import { and, desc, eq, gt, inArray } from "drizzle-orm";
import { previousWebhookSecrets, webhooks } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { WrongKeyError } from "../secrets/encryption.js";
import { decryptSecret, encryptSecret } from "../secrets/secrets.js";
import type { Delivery } from "./rules.js";
import { changeWebhook } from "./write.js";

const PREFIX = "whsec_";

/** Generates a secret of Standard Webhooks 1.0: 192 random bits. */
export const newSecret = (): string => PREFIX + randomBytes(24).toString("base64");

export const keyOfSecret = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

/**
 * Time for which a replaced secret still signs calls. Receivers can change to the new secret during this time without
 * losing calls.
 */
export const OVERLAP_MS = 24 * 3_600_000;

/** Maximum number of replaced secrets that sign a call. A further rotation removes the oldest one. */
export const MAX_PREVIOUS = 3;

/**
 * Replaces the secret of a webhook. Several replaced secrets can be valid, because a client that does not receive the
 * response rotates again, while its receiver uses an older secret.
 * @returns the new secret, which is not shown again
 */
export async function rotateAccountWebhookSecret(ctx: Context, ids: { webhook: number }) {
  const secret = newSecret();
  return change(ctx, "rotateAccountWebhookSecret", ids, async (unit, before) => {
    const { queries, now } = unit;
    const expiresAt = new Date(now.getTime() + OVERLAP_MS);
    await queries
      .insert(previousWebhookSecrets)
      .values({ webhookId: before.id, secretToken: before.secretToken, expiresAt });
    const surplus = queries
      .select({ id: previousWebhookSecrets.id })
      .from(previousWebhookSecrets)
      .where(eq(previousWebhookSecrets.webhookId, before.id))
      .orderBy(desc(previousWebhookSecrets.id))
      .offset(MAX_PREVIOUS);
    await queries.delete(previousWebhookSecrets).where(inArray(previousWebhookSecrets.id, surplus));
    await changeWebhook(unit, before, { secretToken: await encryptSecret(ctx, queries, secret) });
    return { secret, previous_valid_until: expiresAt.toISOString() };
  });
}

/**
 * Returns the secrets that sign a call now, even for an event from before a rotation: the current one, and replaced ones that have not
 * expired.
 * @throws WrongKeyError if no key decrypts the current one
 */
export async function signingSecrets(
  ctx: Context,
  { webhookId, secretToken }: Pick<Delivery, "webhookId" | "secretToken">,
): Promise<string[]> {
  const { queries, clock } = ctx;
  const [webhook] = await queries
    .select({ secretToken: webhooks.secretToken })
    .from(webhooks)
    .where(eq(webhooks.id, webhookId));
  const previous = await queries
    .select({ secretToken: previousWebhookSecrets.secretToken })
    .from(previousWebhookSecrets)
    .where(
      and(eq(previousWebhookSecrets.webhookId, webhookId), gt(previousWebhookSecrets.expiresAt, clock.now())),
    )
    .orderBy(desc(previousWebhookSecrets.id));
  // For a webhook that has just been deleted, only the secret of the delivery exists.
  const current = await decryptSecret(ctx, queries, (webhook ?? { secretToken }).secretToken);
  const replaced = await Promise.all(previous.map((one) => replacedSecret(ctx, one.secretToken)));
  return [current, ...replaced.flat()];
}

/** Decrypts a replaced secret. Skips it if no key decrypts it, because the current secret signs the call. */
async function replacedSecret(ctx: Context, encrypted: string): Promise<string[]> {
  try {
    return [await decryptSecret(ctx, ctx.queries, encrypted)];
  } catch (error) {
    if (error instanceof WrongKeyError) return [];
    throw error;
  }
}
