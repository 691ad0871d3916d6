import { and, eq, inArray } from "drizzle-orm";
import { traceparentOf } from "../../observability/trace-context.js";
import { currentTrace } from "../../observability/tracing.js";
import type { Job } from "../../store/queue/job-queue.js";
import { type ActivityData, webhookDeliveries, webhooks } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { decryptSecret } from "../secrets/secrets.js";
import { isAccountEvent, isTest } from "./account-events.js";
import { keyOfSecret, signingSecrets } from "./account-secrets.js";
import { post } from "./call/post.js";
import { signatureHeaders } from "./call/signature.js";
import { GONE, updateWebhookHealth } from "./health.js";
import { nextAttempt, parseRetryAfter } from "./retry-schedule.js";
import type { Delivery } from "./rules.js";

/** Response statuses for which `Retry-After` is respected. */
const HONOURS_RETRY_AFTER: readonly number[] = [429, 503];

/** Stored instead of the body of a response from a private address. */
const NOT_KEPT = "Not kept: the receiver has a private address.";

const USER_AGENT = "asi-server";

/** Outcome of one attempt. */
interface Outcome {
  delivered: boolean;
  status: number | null;
  /** Beginning of the response body, or the reason for the failure. */
  response: string;
  retryAfterMs: number | undefined;
}

/**
 * Attempts the delivery of the job once and records the outcome. Does nothing if the delivery has ended or belongs to a newer
 * job.
 * @returns the time of the next attempt and the reason for it; undefined when the delivery has ended
 */
export async function attemptDelivery(
  ctx: Context,
  job: Pick<Job, "id" | "chargedTo">,
): Promise<{ at: Date; problem: string } | undefined> {
  const [delivery] = await ctx.queries
    .select()
    .from(webhookDeliveries)
    .where(
      and(eq(webhookDeliveries.jobId, job.id), inArray(webhookDeliveries.state, ["pending", "retrying"])),
    );
  if (delivery === undefined) return undefined;
  const outcome = await send(ctx, delivery, job.chargedTo);
  const at = await transact(ctx, "deliver webhook", (unit) => recordAttempt(unit, delivery, outcome));
  return at && { at, problem: outcome.status === null ? outcome.response : `HTTP ${outcome.status}` };
}

async function send(ctx: Context, delivery: Delivery, account: number): Promise<Outcome> {
  const { config, clock, lookup } = ctx;
  const { body, headers, keys } = await (isAccountEvent(delivery.event)
    ? standardCall(ctx, delivery)
    : activityCall(ctx, delivery));
  try {
    const answer = await post(
      new URL(delivery.url),
      {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        // If spans are recorded, the span of the call adds this header.
        ...(ctx.trace === undefined || currentTrace() ? {} : { traceparent: traceparentOf(ctx.trace) }),
        ...headers,
        ...signatureHeaders({ messageId: delivery.messageId, at: clock.now(), body, keys }),
      },
      body,
      {
        totalMs: config.webhookTimeoutMs,
        connectMs: config.webhookConnectTimeoutMs,
        lookup,
        account,
        allowPrivate: config.webhookAllowPrivate,
      },
    );
    return {
      delivered: answer.status >= 200 && answer.status < 300,
      status: answer.status,
      response: answer.text === null ? NOT_KEPT : shortened(answer.text),
      retryAfterMs: HONOURS_RETRY_AFTER.includes(answer.status)
        ? parseRetryAfter(answer.retryAfter, clock.now())
        : undefined,
    };
  } catch (error) {
    return { delivered: false, status: null, response: failureReason(error), retryAfterMs: undefined };
  }
}

/** Number of bytes kept of a response or of the reason why there was none. */
const KEPT_BYTES = 1024;

/** Returns the first KiB in UTF-8. A replaced byte of a response takes three bytes. */
function shortened(text: string): string {
  const bytes = Buffer.from(text, "utf8").subarray(0, KEPT_BYTES);
  return new TextDecoder().decode(bytes, { stream: true });
}

interface Call {
  body: string;
  headers: Readonly<Record<string, string>>;
  /** Returns the keys of the signatures. */
  keys: readonly Buffer[];
}

/** Returns a version 1 call, which contains the secret. */
async function activityCall(ctx: Context, { event, webhookId, data, secretToken }: Delivery): Promise<Call> {
  const { activity_id, timeframe_id } = data as ActivityData;
  const key = Buffer.from(await decryptSecret(ctx, ctx.queries, secretToken), "utf8");
  return {
    // Lists the keys explicitly, because every attempt must send the same bytes, regardless of the order of the keys in
    // the database.
    body: JSON.stringify({ event, webhook_id: webhookId, data: { activity_id, timeframe_id } }),
    // Headers consist of bytes, so send the secret in UTF-8.
    headers: { "X-Asi-Api-Token": key.toString("latin1") },
    keys: [key],
  };
}

/** Returns a call as Standard Webhooks 1.0 recommends. The database always returns the keys of the data in the same order. */
const standardCall = async (ctx: Context, delivery: Delivery): Promise<Call> => ({
  body: JSON.stringify({
    type: delivery.event,
    timestamp: delivery.createdAt.toISOString(),
    data: delivery.data,
  }),
  headers: {},
  keys: (await signingSecrets(ctx, delivery)).map(keyOfSecret),
});

/** Returns the message, or the `code` if the message is empty, as in an AggregateError of several addresses. */
function failureReason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  // Shorten the message, because an error about a wrong certificate names all its hosts.
  return shortened(message || code || "The receiver could not be reached.");
}

/** @returns the time of the next attempt; undefined when the delivery has ended */
async function recordAttempt(unit: UnitOfWork, tried: Delivery, outcome: Outcome): Promise<Date | undefined> {
  const { queries, now } = unit;
  // Lock the webhook before its deliveries, in the same order as a deletion.
  await queries.select().from(webhooks).where(eq(webhooks.id, tried.webhookId)).for("update");
  const [delivery] = await queries
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.id, tried.id),
        // The delivery may belong to a newer job, or another worker may have recorded this attempt.
        eq(webhookDeliveries.jobId, tried.jobId ?? 0),
        eq(webhookDeliveries.attempts, tried.attempts),
      ),
    )
    .for("update");
  if (delivery === undefined) return undefined;
  const attempts = delivery.attempts + 1;
  // The webhook was deleted or disabled during the attempt.
  const cancelled = delivery.state === "failed";
  const givesUp = cancelled || outcome.status === GONE || isTest(delivery.event);
  const next = outcome.delivered || givesUp ? undefined : nextAttempt(attempts, now, outcome.retryAfterMs);
  const state = outcome.delivered ? "delivered" : next === undefined ? "failed" : "retrying";
  await queries
    .update(webhookDeliveries)
    .set({ state, attempts, responseStatus: outcome.status, response: outcome.response, lastAttemptAt: now })
    .where(eq(webhookDeliveries.id, delivery.id));
  await updateWebhookHealth(unit, delivery, state, outcome.status);
  return next;
}
