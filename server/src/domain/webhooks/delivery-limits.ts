import { randomUUID } from "node:crypto";
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import { isWaiting, type JobKind } from "../../store/queue/job-queue.js";
import { type AccountData, type ActivityData, jobs, webhooks } from "../../store/schema.js";
import { addBytesOfDay, bytesOfDay } from "../change/daily-bytes.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/*
 * Limits on the deliveries of an account: the number that may wait, and their bytes in a day. Events beyond these
 * limits are counted instead of sent.
 */

/** Number of deliveries of a webhook that are kept. Older deliveries are kept only until they have ended. */
export const MAX_DELIVERIES = 20_000;

/** Kind of the jobs that send deliveries. */
export const DELIVERY_JOB: JobKind = "webhook";

/** An event and its destination: the current URL and encrypted secret of the webhook. */
export interface NewDelivery {
  webhookId: number;
  url: string;
  secretToken: string;
  event: string;
  data: ActivityData | AccountData;
}

export type Destination = Pick<NewDelivery, "url" | "secretToken">;

export const newMessageId = () => `msg_${randomUUID()}`;

/** Size of a delivery without its URL and secret: other columns including the response, its job, and the indexes of both. */
const DELIVERY_BYTES = 2048;

export const bytesOf = ({ url, secretToken }: Destination) =>
  url.length + secretToken.length + DELIVERY_BYTES;

/** Counts bytes written for the deliveries of an account, because deliveries and jobs are kept after they end. */
export function countBytes({ config, now, afterCommit }: UnitOfWork, account: number, bytes: number): void {
  afterCommit(() => addBytesOfDay(config, "webhook calls", account, now, bytes));
}

interface Limit {
  room: number;
  /** Clause that follows "because" in the message about unsent events. */
  reason: string;
  advice: string;
}

/** Returns the number of wanted deliveries that the account may add, and the limit that stops the rest. */
export async function limitOf(
  unit: UnitOfWork,
  account: number,
  wanted: readonly Destination[],
): Promise<Limit> {
  const { webhookMaxPending, webhookBytesPerDay } = unit.config;
  const pending = await remainingDeliveries(unit, account);
  let left = webhookBytesPerDay - bytesOfDay(unit.config, "webhook calls", account, unit.now);
  let today = 0;
  for (const delivery of wanted) {
    left -= bytesOf(delivery);
    if (left < 0) break;
    today += 1;
  }
  return pending <= today
    ? {
        room: pending,
        reason: `the limit of waiting deliveries of the account, ${webhookMaxPending}, was reached.`,
        advice: `${webhookMaxPending} deliveries of your webhooks are already waiting. Wait until some have ended, or delete the webhook that fails.`,
      }
    : {
        room: today,
        reason: `the limit of the account's deliveries in a day, ${webhookBytesPerDay} bytes, was reached.`,
        advice: `The deliveries of your webhooks have taken ${webhookBytesPerDay} bytes today. Wait until 00:00 UTC, or delete webhooks.`,
      };
}

/** Returns the number of further deliveries of the account that may wait. */
async function remainingDeliveries(unit: UnitOfWork, account: number): Promise<number> {
  const quota = unit.config.webhookMaxPending;
  const waiting = unit.queries
    .select({ one: sql`1` })
    .from(jobs)
    .where(and(eq(jobs.kind, DELIVERY_JOB), eq(jobs.chargedTo, account), isWaiting))
    .limit(quota)
    .as("waiting");
  const [counted] = await unit.queries.select({ value: count() }).from(waiting);
  return Math.max(0, quota - (counted?.value ?? 0));
}

/** @throws ServiceError `too_many_deliveries` */
export async function requireRoom(unit: UnitOfWork, account: number, wanted: Destination): Promise<void> {
  const { room, advice } = await limitOf(unit, account, [wanted]);
  if (room === 0) throw errors.conflict("too_many_deliveries", advice);
}

/** Counts deliveries as not sent, because the account has reached a limit. */
export async function countNotSent(
  unit: UnitOfWork,
  account: number,
  unsent: readonly NewDelivery[],
): Promise<void> {
  const { reason } = await limitOf(unit, account, unsent.slice(0, 1));
  await countUnsent(unit, account, unsent, reason);
}

/**
 * Counts unsent events in the newest delivery of their webhook if it already counts unsent events, otherwise in a new
 * delivery. The table therefore does not grow with their number. Concurrent transactions count one after another.
 */
export async function countUnsent(
  unit: UnitOfWork,
  account: number,
  unsent: readonly NewDelivery[],
  reason: string,
): Promise<void> {
  if (unsent.length === 0) return;
  const byWebhook = new Map<number, { first: NewDelivery; events: number }>();
  for (const delivery of unsent) {
    const counted = byWebhook.get(delivery.webhookId);
    if (counted === undefined) byWebhook.set(delivery.webhookId, { first: delivery, events: 1 });
    else counted.events += 1;
  }
  // Lock each webhook, because concurrent transactions would each insert a delivery. Lock in the order of ids, to prevent
  // deadlocks. A webhook deleted with its activity has no row, and gets no more events.
  await unit.queries
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(inArray(webhooks.id, [...byWebhook.keys()]))
    .orderBy(asc(webhooks.id))
    .for("no key update");
  const why = `because ${reason}`;
  const rows = [...byWebhook.values()].map(
    ({ first: { webhookId, url, secretToken, event, data }, events }) => ({
      message_id: newMessageId(),
      webhook_id: webhookId,
      url,
      secret_token: secretToken,
      event,
      data,
      events,
      response: `${events === 1 ? "1 event was" : `${events} events were`} not sent, ${why}`,
    }),
  );
  // Keep the time of the first event, because a new time would change an index with every count.
  const { rows: inserted } = await unit.queries.execute<{ webhook_id: string }>(sql`
    WITH counted AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS row (message_id text, webhook_id bigint, url text, secret_token text, event text, data jsonb, events integer, response text)
    ), added AS (
      UPDATE webhook_deliveries AS delivery
      SET unsent = delivery.unsent + counted.events,
        response = (delivery.unsent + counted.events) || ${` events were not sent, the last one at ${unit.now.toISOString()}, ${why}`}::text
      FROM counted CROSS JOIN LATERAL (
        SELECT id FROM webhook_deliveries AS any_delivery
        WHERE any_delivery.webhook_id = counted.webhook_id ORDER BY id DESC LIMIT 1
      ) AS newest
      WHERE delivery.id = newest.id AND delivery.unsent IS NOT NULL
      RETURNING delivery.webhook_id
    )
    INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, response, unsent, created_at)
    SELECT message_id, webhook_id, url, secret_token, event, data, 'failed', response, events, ${unit.now}
    FROM counted WHERE webhook_id NOT IN (SELECT webhook_id FROM added) RETURNING webhook_id`);
  // These rows are kept as long as the rows of deliveries.
  const bytes = inserted.reduce((sum, { webhook_id }) => {
    const first = byWebhook.get(Number(webhook_id))?.first;
    return sum + (first === undefined ? 0 : bytesOf(first));
  }, 0);
  if (bytes > 0) countBytes(unit, account, bytes);
}
