import { and, eq, gt } from "drizzle-orm";
import type { Queries } from "../store/database.js";
import { idempotencyKeys } from "../store/schema.js";
import type { Context } from "./context.js";
import { errors } from "./errors.js";
import type { Answer } from "./idempotent-request.js";

/** Another request with the key did the change already. */
export class DoneBefore extends Error {
  override readonly name = "DoneBefore";
  readonly answer: Answer;

  constructor(answer: Answer) {
    super("The change was made before");
    this.answer = answer;
  }
}

/** How long the answer to a key is kept. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 3_600_000;

interface Transaction {
  queries: Queries;
  now: Date;
}

/**
 * Takes the request's idempotency key within the transaction of the change: of a request that is refused nothing was
 * done, so its key is free again and its answer is not stored. A second request with the same key waits here until
 * the first one commits.
 * @throws DoneBefore; ServiceError `idempotency_key_reused`
 */
export async function claimKey(ctx: Context, { queries, now }: Transaction): Promise<void> {
  if (ctx.idempotency === undefined || ctx.caller === null) return;
  const { path, key, fingerprint } = ctx.idempotency;
  const claimed = await queries
    .insert(idempotencyKeys)
    .values({ accountId: ctx.caller.id, path, key, fingerprint, createdAt: now })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key });
  if (claimed.length > 0) return;
  const stored = await storedAnswer({ ...ctx, queries });
  if (stored !== undefined) throw new DoneBefore(stored);
  // Expired, but not yet removed.
  await queries
    .update(idempotencyKeys)
    .set({ fingerprint, status: null, headers: null, body: null, createdAt: now })
    .where(isKey(ctx.caller.id, ctx.idempotency));
}

/** Stores the response to the result of the change, within its transaction. */
export async function storeAnswer(ctx: Context, { queries }: Transaction, result: unknown): Promise<void> {
  if (ctx.idempotency === undefined || ctx.caller === null) return;
  const answer = ctx.idempotency.answerOf(result);
  await queries
    .update(idempotencyKeys)
    .set({ ...answer })
    .where(isKey(ctx.caller.id, ctx.idempotency));
  ctx.idempotency.answer = answer;
}

const isKey = (accountId: number, { path, key }: { path: string; key: string }) =>
  and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.path, path), eq(idempotencyKeys.key, key));

async function findKey(ctx: Context) {
  if (ctx.idempotency === undefined || ctx.caller === null) return undefined;
  const oldest = new Date(ctx.clock.now().getTime() - IDEMPOTENCY_LIFETIME_MS);
  const rows = await ctx.queries
    .select()
    .from(idempotencyKeys)
    .where(and(isKey(ctx.caller.id, ctx.idempotency), gt(idempotencyKeys.createdAt, oldest)));
  return rows[0];
}

/** Whether the caller's key was used within 24 hours. */
export async function hasStoredAnswer(ctx: Context): Promise<boolean> {
  return (await findKey(ctx)) !== undefined;
}

/**
 * @returns the answer to the request that used the caller's key first, if one did within 24 hours
 * @throws ServiceError `idempotency_key_reused` when that was another request
 */
export async function storedAnswer(ctx: Context): Promise<Answer | undefined> {
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
