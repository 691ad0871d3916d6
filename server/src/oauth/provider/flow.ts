import { createHash } from "node:crypto";
import { and, eq, gt } from "drizzle-orm";
import type { Context } from "../../domain/change/context.js";
import { hashToken, newToken } from "../../domain/secrets/tokens.js";
import { openidSignIns } from "../../store/schema.js";
import type { FlowValues } from "./provider.js";

/** Time within which the user must sign in at the provider. */
export const FLOW_S = 10 * 60;

/** A sign-in that waits for the provider. */
export type Flow = Pick<typeof openidSignIns.$inferSelect, "accountId" | "tokenHash" | "mustAuthenticate">;

const derived = (cookie: string, purpose: string): string =>
  createHash("sha256").update(`openid ${purpose} ${cookie}`).digest("base64url");

/**
 * Derives the values of a sign-in from the random value of the cookie. Only the browser that began the sign-in knows them, and
 * they need not be stored. The state does not reveal the other values.
 */
export const flowValues = (cookie: string): FlowValues => ({
  state: derived(cookie, "state"),
  nonce: derived(cookie, "nonce"),
  verifier: derived(cookie, "verifier"),
});

/** Stores a new sign-in. @returns the value for the cookie, which is not stored */
export async function beginFlow({ queries, clock }: Context, flow: Flow): Promise<string> {
  const cookie = newToken();
  await queries.insert(openidSignIns).values({
    ...flow,
    flowHash: hashToken(cookie),
    expiresAt: new Date(clock.now().getTime() + FLOW_S * 1000),
  });
  return cookie;
}

/** Takes a sign-in, which is possible only once. @returns undefined if it has expired or has already been used */
export async function takeFlow({ queries, clock }: Context, cookie: string): Promise<Flow | undefined> {
  const [flow] = await queries
    .delete(openidSignIns)
    .where(and(eq(openidSignIns.flowHash, hashToken(cookie)), gt(openidSignIns.expiresAt, clock.now())))
    .returning({
      accountId: openidSignIns.accountId,
      tokenHash: openidSignIns.tokenHash,
      mustAuthenticate: openidSignIns.mustAuthenticate,
    });
  return flow;
}
