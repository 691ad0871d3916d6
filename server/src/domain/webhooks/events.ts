import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { activities, webhooks } from "../../store/schema.js";
import { groupBy } from "../change/group-by.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { NewDelivery } from "./delivery-limits.js";
import { createDeliveries, enqueueFanOut } from "./delivery-queue.js";

/** Events that a webhook can receive. */
export const ACTIVITY_EVENTS = ["activity-updated", "activity-deleted"] as const;
export const TIMEFRAME_EVENTS = ["timeframe-created", "timeframe-updated", "timeframe-deleted"] as const;

type ActivityEvent = (typeof ACTIVITY_EVENTS)[number];
type TimeframeEvent = (typeof TIMEFRAME_EVENTS)[number];
export type ActivityEventKind = ActivityEvent | TimeframeEvent;

/** Ids of the objects of an event. Receivers fetch the rest. */
export interface EventSubject {
  activityId: number;
  /** Present in time-frame events. */
  timeframeId?: number;
}

/** Payload of a `webhook-fan-out` job: events of a change with too many deliveries for its transaction. */
export interface FanOut {
  event: ActivityEventKind;
  /** Whether the webhooks are called even if they were deleted with their activity. */
  outlives: boolean;
  webhooks: { id: number; activityId: number; url: string; secretToken: string }[];
  /** Ids of activities and their time frames. */
  subjects: [activityId: number, timeframeId: number | null][];
}

/**
 * Maximum number of deliveries that the transaction of a change writes, because other transactions wait for it. A job writes a
 * larger number.
 */
const AT_ONCE = 200;

/** Delivers one event to the webhooks of its activity; see `emitActivityEvents`. */
export const emitActivityEvent = (
  unit: UnitOfWork,
  kind: ActivityEventKind,
  subject: EventSubject,
): Promise<void> => emitActivityEvents(unit, kind, [subject]);

/**
 * Queues each event for each webhook of its activity that subscribes to it, within the caller's transaction. Copies the
 * URL and the secret, because the event is delivered even if the webhook is deleted with its activity. Call this before
 * the rows are deleted; when an activity is deleted with its time frames, call it for the time frames first.
 * @param outlives whether to deliver the events although this transaction deletes their activity and its webhooks
 */
export async function emitActivityEvents(
  unit: UnitOfWork,
  kind: ActivityEventKind,
  subjects: readonly EventSubject[],
  { outlives = kind === "activity-deleted" } = {},
): Promise<void> {
  const activityIds = [...new Set(subjects.map(({ activityId }) => activityId))];
  if (activityIds.length === 0) return;
  const subscribed = kind.startsWith("activity-") ? webhooks.activityEvents : webhooks.timeframesEvents;
  const receivers = await unit.queries
    .select({ webhook: webhooks, activityId: activities.id, owner: activities.ownerId })
    .from(webhooks)
    .innerJoin(activities, eq(activities.id, webhooks.activityId))
    .where(and(inArray(webhooks.activityId, activityIds), eq(subscribed, true), isNull(webhooks.disabledAt)))
    .orderBy(asc(webhooks.id))
    // Skip a webhook that a concurrent transaction deletes or disables.
    .for("key share", { of: webhooks });
  const byOwner = groupBy(receivers, ({ owner }) => owner);
  for (const [owner, owned] of byOwner) {
    const fanOut: FanOut = {
      event: kind,
      outlives,
      webhooks: owned.map(({ webhook, activityId }) => ({
        id: webhook.id,
        activityId,
        url: webhook.webhookUrl,
        secretToken: webhook.secretToken,
      })),
      subjects: subjects.map(({ activityId, timeframeId }) => [activityId, timeframeId ?? null]),
    };
    const wanted = deliveriesOf(fanOut);
    if (wanted.length <= AT_ONCE) {
      await createDeliveries(unit, owner, wanted);
    } else {
      await enqueueFanOut(unit, owner, { ...fanOut }, wanted);
    }
  }
}

/** Yields every event for every webhook of its activity. */
export function deliveriesOf({ event, webhooks: receivers, subjects }: FanOut): NewDelivery[] {
  const byActivity = groupBy(subjects, ([activityId]) => activityId);
  return receivers.flatMap(({ id, activityId, url, secretToken }) =>
    (byActivity.get(activityId) ?? []).map(([, timeframeId]) => ({
      webhookId: id,
      url,
      secretToken,
      event,
      data: { activity_id: activityId, ...(timeframeId === null ? {} : { timeframe_id: timeframeId }) },
    })),
  );
}
