import { and, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import type { Job } from "../../store/queue.js";
import { webhookDeliveries, webhooks } from "../../store/schema.js";
import { post } from "../../webhooks/post.js";
import { nextAttempt, parseRetryAfter } from "../../webhooks/schedule.js";
import { signatureHeaders } from "../../webhooks/signature.js";
import { transact } from "../change.js";
import type { Context } from "../context.js";
import { decrypt } from "../encryption.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { cancelDeliveries } from "./delivery-queue.js";
import { TEST_EVENT } from "./resource.js";
import type { Delivery, Webhook } from "./rules.js";

/** So many deliveries exhausted one after the other disable the webhook. */
const MAX_EXHAUSTED = 20;
const GONE = 410;
/** Answers whose `Retry-After` counts. */
const ASK_FOR_PATIENCE: readonly number[] = [429, 503];

const USER_AGENT = "asi-server";

/** What came of one attempt. */
interface Outcome {
  delivered: boolean;
  status: number | null;
  /** Beginning of the answer, or why there was none. */
  response: string;
  retryAfterMs: number | undefined;
}

/**
 * Makes one attempt of the delivery that the job carries, and records what came of it. Nothing is done for a delivery
 * that has ended or is carried by a newer job.
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
  const at = await transact(ctx, "deliver webhook", (unit) => record(unit, delivery, outcome));
  return at && { at, problem: outcome.status === null ? outcome.response : `HTTP ${outcome.status}` };
}

async function send(ctx: Context, delivery: Delivery, account: number): Promise<Outcome> {
  const { config, clock, lookup } = ctx;
  const secret = decrypt(ctx.serverKey, delivery.secretToken);
  const { activity_id, timeframe_id } = delivery.data;
  // Written out, so that every attempt sends the same bytes whatever order the database gives the keys.
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
        // A header holds bytes; these are the secret's in UTF-8.
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
      response: answer.text,
      retryAfterMs: ASK_FOR_PATIENCE.includes(answer.status)
        ? parseRetryAfter(answer.retryAfter, clock.now())
        : undefined,
    };
  } catch (error) {
    return { delivered: false, status: null, response: reason(error), retryAfterMs: undefined };
  }
}

/** Node's network errors say what happened in `code`; an AggregateError of several addresses says nothing else. */
function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || "The receiver could not be reached.";
}

/** @returns when to try again; undefined when the delivery has ended */
async function record(unit: UnitOfWork, tried: Delivery, outcome: Outcome): Promise<Date | undefined> {
  const { queries, now } = unit;
  // The webhook before its deliveries, as those lock them who delete it.
  await queries.select().from(webhooks).where(eq(webhooks.id, tried.webhookId)).for("update");
  const [delivery] = await queries
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.id, tried.id),
        // Unless a newer job carries it, or another worker recorded this very attempt.
        eq(webhookDeliveries.jobId, tried.jobId ?? 0),
        eq(webhookDeliveries.attempts, tried.attempts),
      ),
    )
    .for("update");
  if (delivery === undefined) return undefined;
  const attempts = delivery.attempts + 1;
  // Given up during the attempt: the webhook was deleted or disabled.
  const cancelled = delivery.state === "failed";
  const givesUp = cancelled || outcome.status === GONE || delivery.event === TEST_EVENT;
  const next = outcome.delivered || givesUp ? undefined : nextAttempt(attempts, now, outcome.retryAfterMs);
  const state = outcome.delivered ? "delivered" : next === undefined ? "failed" : "retrying";
  await queries
    .update(webhookDeliveries)
    .set({ state, attempts, responseStatus: outcome.status, response: outcome.response, lastAttemptAt: now })
    .where(eq(webhookDeliveries.id, delivery.id));
  await judge(unit, delivery, state, outcome.status);
  return next;
}

/** Counts the webhook's exhausted deliveries, and disables it when its receiver is gone or has failed too often. */
async function judge(
  unit: UnitOfWork,
  { webhookId, url, event }: Delivery,
  state: string,
  status: number | null,
): Promise<void> {
  const { queries, now, announce } = unit;
  // What an earlier URL answered says nothing of the present one.
  const current = and(eq(webhooks.id, webhookId), eq(webhooks.webhookUrl, url));
  if (state === "delivered") {
    await queries
      .update(webhooks)
      .set({ failures: 0 })
      .where(and(current, gt(webhooks.failures, 0)));
  } else if (state === "failed" && (status === GONE || event !== TEST_EVENT)) {
    const [before] = await queries
      .select()
      .from(webhooks)
      .where(and(current, isNull(webhooks.disabledAt)))
      .for("update");
    const disabled = status === GONE || (before !== undefined && before.failures + 1 >= MAX_EXHAUSTED);
    if (disabled) await cancelDeliveries(unit, webhookId, "Not sent: the webhook was disabled.", url);
    if (before === undefined) return;
    const [after] = await queries
      .update(webhooks)
      .set({ failures: sql`${webhooks.failures} + 1`, disabledAt: disabled ? now : null })
      .where(eq(webhooks.id, webhookId))
      .returning();
    if (disabled) await announce("webhookChanged", { before, after: (after as Webhook | undefined) ?? null });
  }
}
