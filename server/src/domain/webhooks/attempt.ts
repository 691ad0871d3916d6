import { and, eq, inArray } from "drizzle-orm";
import { traceparentOf } from "../../observability/trace-context.js";
import { currentTrace } from "../../observability/tracing.js";
import type { Job } from "../../store/queue/job-queue.js";
import { webhookDeliveries, webhooks } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { decryptSecret } from "../secrets/secrets.js";
import { post } from "./call/post.js";
import { signatureHeaders } from "./call/signature.js";
import { GONE, updateWebhookHealth } from "./health.js";
import { TEST_EVENT } from "./resource.js";
import { nextAttempt, parseRetryAfter } from "./retry-schedule.js";
import type { Delivery } from "./rules.js";

/** Response statuses whose `Retry-After` is respected. */
const HONOURS_RETRY_AFTER: readonly number[] = [429, 503];

/** Instead of the body of a response from a private address. */
const NOT_KEPT = "Not kept: the receiver has a private address.";

const USER_AGENT = "asi-server";

/** The outcome of one attempt. */
interface Outcome {
  delivered: boolean;
  status: number | null;
  /** The first part of the response body, or the reason why there is no response. */
  response: string;
  retryAfterMs: number | undefined;
}

/**
 * Attempts the delivery of the job once, and records the outcome. Does nothing when the delivery has ended or belongs to a
 * newer job.
 * @returns when to try again, and why; undefined when the delivery has ended
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
  const secret = await decryptSecret(ctx, ctx.queries, delivery.secretToken);
  const { activity_id, timeframe_id } = delivery.data;
  // Lists the keys explicitly, so that every attempt sends the same bytes regardless of the key order in the database.
  const body = JSON.stringify({
    event: delivery.event,
    webhook_id: delivery.webhookId,
    data: { activity_id, timeframe_id },
  });
  try {
    const answer = await post(
      new URL(delivery.url),
      {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        // Where spans are recorded, that of the call adds its own.
        ...(ctx.trace === undefined || currentTrace() ? {} : { traceparent: traceparentOf(ctx.trace) }),
        // A header holds bytes: the secret in UTF-8.
        "X-Asi-Api-Token": Buffer.from(secret, "utf8").toString("latin1"),
        ...signatureHeaders({ messageId: delivery.messageId, at: clock.now(), body, secret }),
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
      response: answer.text ?? NOT_KEPT,
      retryAfterMs: HONOURS_RETRY_AFTER.includes(answer.status)
        ? parseRetryAfter(answer.retryAfter, clock.now())
        : undefined,
    };
  } catch (error) {
    return { delivered: false, status: null, response: failureReason(error), retryAfterMs: undefined };
  }
}

/** The message, or the `code` where there is no message, as in an AggregateError over several addresses. */
function failureReason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || "The receiver could not be reached.";
}

/** @returns when to try again; undefined when the delivery has ended */
async function recordAttempt(unit: UnitOfWork, tried: Delivery, outcome: Outcome): Promise<Date | undefined> {
  const { queries, now } = unit;
  // Lock the webhook before its deliveries: a deletion locks them in this order too.
  await queries.select().from(webhooks).where(eq(webhooks.id, tried.webhookId)).for("update");
  const [delivery] = await queries
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.id, tried.id),
        // A newer job may own it, or another worker may have recorded this attempt already.
        eq(webhookDeliveries.jobId, tried.jobId ?? 0),
        eq(webhookDeliveries.attempts, tried.attempts),
      ),
    )
    .for("update");
  if (delivery === undefined) return undefined;
  const attempts = delivery.attempts + 1;
  // Cancelled during the attempt: the webhook was deleted or disabled.
  const cancelled = delivery.state === "failed";
  const givesUp = cancelled || outcome.status === GONE || delivery.event === TEST_EVENT;
  const next = outcome.delivered || givesUp ? undefined : nextAttempt(attempts, now, outcome.retryAfterMs);
  const state = outcome.delivered ? "delivered" : next === undefined ? "failed" : "retrying";
  await queries
    .update(webhookDeliveries)
    .set({ state, attempts, responseStatus: outcome.status, response: outcome.response, lastAttemptAt: now })
    .where(eq(webhookDeliveries.id, delivery.id));
  await updateWebhookHealth(unit, delivery, state, outcome.status);
  return next;
}
