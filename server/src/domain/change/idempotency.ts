import { and, eq, gt, lte } from "drizzle-orm";
import { idempotencyKeys } from "../../store/schema.js";
import type { Context } from "./context.js";
import { errors } from "./errors.js";
import type { ChangeResult, StoredResponse } from "./idempotent-request.js";
import { enforceKeyQuota, enforceResponseQuota, SMALL_RESPONSE_BYTES } from "./quotas.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** Another request with the same idempotency key has already made the change. */
export class AlreadyDone extends Error {
  override readonly name = "AlreadyDone";
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super("The change has already been made");
    this.response = response;
  }
}

/** Time for which the response to a key is kept. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 3_600_000;

/** A claim is retried only when the row of an expired key was replaced or removed during the previous attempt. */
const MAX_CLAIM_TRIES = 5;

/**
 * Claims the request's idempotency key within the transaction of the change. A failed request rolls back, so its key remains
 * unused. A second request with the same key waits here until the first one commits.
 * @throws AlreadyDone; ServiceError `idempotency_key_reused`, `too_many_idempotency_keys`, `unavailable`
 */
export async function claimKey(ctx: Context, unit: UnitOfWork): Promise<void> {
  const { queries, now } = unit;
  if (ctx.idempotency === undefined || ctx.caller === null) return;
  const { path, key, fingerprint } = ctx.idempotency;
  for (let tries = 1; tries <= MAX_CLAIM_TRIES; tries++) {
    const claimed = await queries
      .insert(idempotencyKeys)
      .values({ accountId: ctx.caller.id, path, key, fingerprint, createdAt: now })
      .onConflictDoNothing()
      .returning({ key: idempotencyKeys.key });
    if (claimed.length > 0) return enforceKeyQuota(unit, ctx.caller.id);
    const stored = await findStoredResponse({ ...ctx, queries });
    if (stored !== undefined) throw new AlreadyDone(stored);
    // The key has expired but has not been removed. Another request may replace the row first, or retention may remove
    // it.
    const replaced = await queries
      .update(idempotencyKeys)
      .set({ fingerprint, status: null, headers: null, body: null, createdAt: now })
      .where(and(isKey(ctx.caller.id, ctx.idempotency), lte(idempotencyKeys.createdAt, expiryOf(ctx))))
      .returning({ key: idempotencyKeys.key });
    if (replaced.length > 0) return;
  }
  throw errors.unavailable("Too many concurrent requests use this Idempotency-Key.", 1_000);
}

/**
 * Stores the response to the result of the change, within its transaction.
 * @throws QuotaExceeded
 */
export async function storeResponse(ctx: Context, unit: UnitOfWork, result: ChangeResult): Promise<void> {
  if (ctx.idempotency === undefined || ctx.caller === null) return;
  const response = ctx.idempotency.responseTo(result);
  await unit.queries
    .update(idempotencyKeys)
    .set({ ...response })
    .where(isKey(ctx.caller.id, ctx.idempotency));
  if (response.body.length > SMALL_RESPONSE_BYTES) await enforceResponseQuota(unit, ctx.caller.id);
  ctx.idempotency.response = response;
}

const isKey = (accountId: number, { path, key }: { path: string; key: string }) =>
  and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.path, path), eq(idempotencyKeys.key, key));

/** Returns the time up to which keys have expired. */
const expiryOf = ({ clock }: Context) => new Date(clock.now().getTime() - IDEMPOTENCY_LIFETIME_MS);

async function findKey(ctx: Context) {
  if (ctx.idempotency === undefined || ctx.caller === null) return undefined;
  const rows = await ctx.queries
    .select()
    .from(idempotencyKeys)
    .where(and(isKey(ctx.caller.id, ctx.idempotency), gt(idempotencyKeys.createdAt, expiryOf(ctx))));
  return rows[0];
}

/** Whether the caller has used the key in the last 24 hours. */
export async function isKeyUsed(ctx: Context): Promise<boolean> {
  return (await findKey(ctx)) !== undefined;
}

/**
 * @returns the response to the caller's first request with this key, if it was sent in the last 24 hours
 * @throws ServiceError `idempotency_key_reused` when the first request was different
 */
export async function findStoredResponse(ctx: Context): Promise<StoredResponse | undefined> {
  const row = await findKey(ctx);
  if (row === undefined) return undefined;
  const isSame = Buffer.from(row.fingerprint).equals(Buffer.from(ctx.idempotency?.fingerprint ?? []));
  const { status, headers, body } = row;
  if (!isSame || status === null || headers === null || body === null) {
    throw errors.conflict(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another query or request body.",
    );
  }
  return { status, headers, body };
}
