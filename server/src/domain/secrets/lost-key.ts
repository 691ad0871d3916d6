import { randomBytes } from "node:crypto";
import { eq, inArray, sql } from "drizzle-orm";
import {
  encryptionKeys,
  jobs,
  previousWebhookSecrets,
  webhookDeliveries,
  webhooks,
} from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { encrypt } from "./encryption.js";
import { forgetNewestKey } from "./secrets.js";

/** Numbers of rows that depend on the server key. */
export interface LostSecrets {
  /** Number of webhooks whose secret is replaced by a random one, until their owners set a new one. */
  webhooks_disabled: number;
  /** Number of waiting webhook calls that cannot be signed. */
  deliveries_failed: number;
  /** Number of queued emails with a generated password or a password reset link. */
  mails_removed: number;
}

const waiting = inArray(webhookDeliveries.state, ["pending", "retrying"]);
const sealedMails = sql`${jobs.kind} = 'mail' AND coalesce(${jobs.payload}->>'sealedPassword', ${jobs.payload}->>'sealedToken') IS NOT NULL`;

export const lostSecrets = async ({ queries }: Context): Promise<LostSecrets> => ({
  webhooks_disabled: await queries.$count(webhooks),
  deliveries_failed: await queries.$count(webhookDeliveries, waiting),
  mails_removed: await queries.$count(jobs, sealedMails),
});

/**
 * Makes the service usable without the lost server key, by removing all data encrypted with it. Passwords, session tokens and all
 * other data do not depend on it.
 */
export async function resetKeys(ctx: Context): Promise<LostSecrets> {
  const reset = await transact(ctx, "key reset", async ({ queries, now, audit }) => {
    const lost = await lostSecrets({ ...ctx, queries });
    await queries.delete(encryptionKeys);
    await queries.delete(jobs).where(sealedMails);
    await queries.delete(jobs).where(eq(jobs.kind, "webhook-fan-out"));
    const nobodyKnows = encrypt(ctx.serverKey, randomBytes(24).toString("base64url"));
    await queries
      .update(webhookDeliveries)
      .set({ state: "failed", response: "Not sent: the key that encrypts its secret was lost." })
      .where(waiting);
    await queries.delete(previousWebhookSecrets);
    await queries.update(webhookDeliveries).set({ secretToken: nobodyKnows });
    await queries.update(webhooks).set({
      secretToken: nobodyKnows,
      disabledAt: sql`coalesce(${webhooks.disabledAt}, ${now})`,
      version: sql`${webhooks.version} + 1`,
    });
    await audit("encryption key", 0, null, { ...lost });
    return lost;
  });
  forgetNewestKey(ctx);
  return reset;
}
