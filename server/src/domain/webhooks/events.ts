import { randomUUID } from "node:crypto";
import { and, asc, eq, isNull } from "drizzle-orm";
import { webhookDeliveries, webhooks } from "../../store/schema.js";
import type { Change } from "../change.js";
import type { Delivery, Webhook } from "./rules.js";

/** The kinds of events (specification, "Events"). */
export const ACTIVITY_EVENTS = ["activity-updated", "activity-deleted"] as const;
export const TIMEFRAME_EVENTS = ["timeframe-created", "timeframe-updated", "timeframe-deleted"] as const;

type ActivityEvent = (typeof ACTIVITY_EVENTS)[number];
type TimeframeEvent = (typeof TIMEFRAME_EVENTS)[number];
export type ActivityEventKind = ActivityEvent | TimeframeEvent;

/** Ids only: receivers fetch what they want to know. */
export interface EventSubject {
  activityId: number;
  /** Of time-frame events. */
  timeframeId?: number;
}

/**
 * Writes one delivery for each webhook of the activity that asked for such events, within the caller's transaction.
 * URL and secret are copied, so the event is delivered though the webhook goes with the activity: call this before the
 * rows are deleted, and for a cascade once for each time frame before the activity itself.
 */
export async function emitActivityEvent(
  change: Change,
  kind: ActivityEventKind,
  subject: EventSubject,
): Promise<void> {
  const subscribed = kind.startsWith("activity-") ? webhooks.activityEvents : webhooks.timeframesEvents;
  const receivers = await change.queries
    .select()
    .from(webhooks)
    .where(
      and(eq(webhooks.activityId, subject.activityId), eq(subscribed, true), isNull(webhooks.disabledAt)),
    )
    .orderBy(asc(webhooks.id));
  for (const webhook of receivers) await deliver(change, webhook, kind, subject);
}

/** Writes a delivery and the job that carries it. */
export async function deliver(
  change: Change,
  webhook: Webhook,
  event: string,
  { activityId, timeframeId }: EventSubject,
): Promise<Delivery> {
  const [delivery] = await change.queries
    .insert(webhookDeliveries)
    .values({
      messageId: `msg_${randomUUID()}`,
      webhookId: webhook.id,
      url: webhook.webhookUrl,
      secretToken: webhook.secretToken,
      event,
      data: { activity_id: activityId, ...(timeframeId === undefined ? {} : { timeframe_id: timeframeId }) },
      state: "pending",
      jobId: await carry(change, webhook.webhookUrl),
      createdAt: change.now,
    })
    .returning();
  if (delivery === undefined) throw new Error("The delivery was not inserted");
  return delivery;
}

/** Adds the job that carries a delivery to the URL. @returns its id */
export async function carry(change: Change, url: string): Promise<number> {
  const job = await change.enqueue({ kind: "webhook", payload: {}, receiver: new URL(url).host });
  if (job === undefined) throw new Error("The job of the delivery was not added");
  return job.id;
}
