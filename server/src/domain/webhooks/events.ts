import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { activities, webhooks } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { createDeliveries, enqueueFanOut, type NewDelivery } from "./delivery-queue.js";

/** The events that a webhook can receive. */
export const ACTIVITY_EVENTS = ["activity-updated", "activity-deleted"] as const;
export const TIMEFRAME_EVENTS = ["timeframe-created", "timeframe-updated", "timeframe-deleted"] as const;

type ActivityEvent = (typeof ACTIVITY_EVENTS)[number];
type TimeframeEvent = (typeof TIMEFRAME_EVENTS)[number];
export type ActivityEventKind = ActivityEvent | TimeframeEvent;

/** Contains ids only; receivers fetch the rest. */
export interface EventSubject {
  activityId: number;
  /** Present in time-frame events. */
  timeframeId?: number;
}

/** The payload of a `webhook-fan-out` job: the events of a change with more deliveries than its transaction writes. */
export interface FanOut {
  event: ActivityEventKind;
  /** The webhooks are called even when they have been deleted, because they were deleted with their activity. */
  outlives: boolean;
  webhooks: { id: number; activityId: number; url: string; secretToken: string }[];
  /** Ids of activities and their time frames. */
  subjects: [activityId: number, timeframeId: number | null][];
  /** Deliveries written so far. */
  done?: number;
}

/** Deliveries that the transaction of a change writes. A job writes a larger number afterwards, because others wait. */
const AT_ONCE = 200;

/** Delivers one event to the webhooks of its activity; see `emitActivityEvents`. */
export const emitActivityEvent = (
  unit: UnitOfWork,
  kind: ActivityEventKind,
  subject: EventSubject,
): Promise<void> => emitActivityEvents(unit, kind, [subject]);

/**
 * Queues each event for each webhook of its activity that subscribes to it, within the caller's transaction. Copies URL and
 * secret, so that the event is delivered even when the webhook is deleted with its activity. Call this before the rows are
 * deleted, and when an activity is deleted with its time frames, for the time frames first.
 * @param outlives the events are delivered although their activity and its webhooks are deleted in this transaction
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
    .select({ webhook: webhooks, owner: activities.ownerId })
    .from(webhooks)
    .innerJoin(activities, eq(activities.id, webhooks.activityId))
    .where(and(inArray(webhooks.activityId, activityIds), eq(subscribed, true), isNull(webhooks.disabledAt)))
    .orderBy(asc(webhooks.id))
    // A webhook that is being deleted or disabled concurrently is not called afterwards.
    .for("key share", { of: webhooks });
  const byOwner = groupBy(receivers, ({ owner }) => owner);
  for (const [owner, owned] of byOwner) {
    const fanOut: FanOut = {
      event: kind,
      outlives,
      webhooks: owned.map(({ webhook }) => ({
        id: webhook.id,
        activityId: webhook.activityId,
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

/** Every event for every webhook of its activity. */
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

function groupBy<Key, T>(all: readonly T[], keyOf: (one: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}
