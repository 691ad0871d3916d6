import { randomUUID } from "node:crypto";
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import { isWaiting, type JobKind, newJobId } from "../../store/queue/job-queue.js";
import {
  type AccountData,
  type ActivityData,
  jobs,
  webhookDeliveries,
  webhooks,
} from "../../store/schema.js";
import { addBytesOfDay, bytesOfDay } from "../change/daily-bytes.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Delivery } from "./rules.js";

/** An event and its destination: the current URL and encrypted secret of the webhook. */
export interface NewDelivery {
  webhookId: number;
  url: string;
  secretToken: string;
  event: string;
  data: ActivityData | AccountData;
}

type Destination = Pick<NewDelivery, "url" | "secretToken">;

const KIND: JobKind = "webhook";

/** Size of a delivery without its URL and secret: other columns including the response, its job, and the indexes of both. */
const DELIVERY_BYTES = 2048;

const bytesOf = ({ url, secretToken }: Destination) => url.length + secretToken.length + DELIVERY_BYTES;

/** Counts bytes written for the deliveries of an account, because deliveries and jobs are kept after they end. */
function countBytes({ config, now, afterCommit }: UnitOfWork, account: number, bytes: number): void {
  afterCommit(() => addBytesOfDay(config, "webhook calls", account, now, bytes));
}

interface Limit {
  room: number;
  /** Clause that follows "because" in the message about unsent events. */
  reason: string;
  advice: string;
}

/** Returns the number of wanted deliveries that the account may add, and the limit that stops the rest. */
async function limitOf(unit: UnitOfWork, account: number, wanted: readonly Destination[]): Promise<Limit> {
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

/** Number of further deliveries of the account that may wait. */
async function remainingDeliveries(unit: UnitOfWork, account: number): Promise<number> {
  const quota = unit.config.webhookMaxPending;
  const waiting = unit.queries
    .select({ one: sql`1` })
    .from(jobs)
    .where(and(eq(jobs.kind, KIND), eq(jobs.chargedTo, account), isWaiting))
    .limit(quota)
    .as("waiting");
  const [counted] = await unit.queries.select({ value: count() }).from(waiting);
  return Math.max(0, quota - (counted?.value ?? 0));
}

/**
 * Inserts deliveries and their jobs, within the caller's transaction. The number of statements does not depend on the
 * number of deliveries. Skips an event when an equal one is queued and not yet attempted. Deliveries over the quota are not sent;
 * one failed delivery per webhook counts them.
 * @param account the owner of the webhooks
 * @param atMost number of deliveries of one change
 * @returns whether the account had no room for any of them
 */
export async function createDeliveries(
  unit: UnitOfWork,
  account: number,
  wanted: readonly NewDelivery[],
  atMost = Number.POSITIVE_INFINITY,
): Promise<{ isFull: boolean }> {
  if (wanted.length === 0) return { isFull: false };
  const added = await withoutWaiting(unit, wanted);
  const limit = await limitOf(unit, account, added);
  const { room, reason } =
    atMost < limit.room ? { room: atMost, reason: `a change sends at most ${atMost} events.` } : limit;
  const sent = added.slice(0, room);
  if (sent.length > 0) await insertDeliveries(unit, account, sent);
  await countUnsent(unit, account, added.slice(room), reason);
  return { isFull: limit.room === 0 };
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
 * Adds the job that writes many deliveries after the transaction. At a limit, their events are counted as not sent instead,
 * because such jobs have no other limit.
 * @param payload payload of the job
 */
export async function enqueueFanOut(
  unit: UnitOfWork,
  account: number,
  payload: Record<string, unknown>,
  wanted: readonly NewDelivery[],
): Promise<void> {
  const { room, reason } = await limitOf(unit, account, wanted.slice(0, 1));
  if (room === 0) {
    await countUnsent(unit, account, wanted, reason);
    return;
  }
  countBytes(unit, account, JSON.stringify(payload).length);
  await unit.enqueue({ kind: "webhook-fan-out", payload, chargedTo: account });
}

/**
 * Counts unsent events in the newest delivery of their webhook if it already counts such events, otherwise in a new one, so that
 * their number does not make the table grow. Concurrent transactions count one after another.
 */
async function countUnsent(
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
  // The time of the first event stays, so that no index changes with the count.
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
  // These rows are kept as long as those of deliveries.
  const bytes = inserted.reduce((sum, { webhook_id }) => {
    const first = byWebhook.get(Number(webhook_id))?.first;
    return sum + (first === undefined ? 0 : bytesOf(first));
  }, 0);
  if (bytes > 0) countBytes(unit, account, bytes);
}

/**
 * Inserts one delivery, even when an equal one is queued.
 * @returns the inserted row
 * @throws ServiceError `too_many_deliveries`
 */
export async function createDelivery(
  unit: UnitOfWork,
  account: number,
  wanted: NewDelivery,
): Promise<Delivery> {
  await requireRoom(unit, account, wanted);
  const [id] = await insertDeliveries(unit, account, [wanted]);
  const [row] = await unit.queries
    .select()
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.id, id ?? 0));
  if (row === undefined) throw new Error("The delivery was not inserted");
  return row;
}

const newMessageId = () => `msg_${randomUUID()}`;

const receiverOf = (url: string) => new URL(url).host;

/**
 * Adds the job that sends a delivery again.
 * @returns the id of the job
 * @throws ServiceError `too_many_deliveries`
 */
export async function enqueueDelivery(
  unit: UnitOfWork,
  account: number,
  wanted: Destination,
): Promise<number> {
  await requireRoom(unit, account, wanted);
  countBytes(unit, account, bytesOf(wanted));
  const job = await unit.enqueue({
    kind: KIND,
    payload: {},
    receiver: receiverOf(wanted.url),
    chargedTo: account,
  });
  if (job === undefined) throw new Error("The job of the delivery was not inserted");
  return job.id;
}

async function requireRoom(unit: UnitOfWork, account: number, wanted: Destination): Promise<void> {
  const { room, advice } = await limitOf(unit, account, [wanted]);
  if (room === 0) throw errors.conflict("too_many_deliveries", advice);
}

async function insertDeliveries(
  unit: UnitOfWork,
  account: number,
  sent: readonly NewDelivery[],
): Promise<number[]> {
  const rows = sent.map(({ webhookId, url, secretToken, event, data }) => ({
    job_id: newJobId(),
    message_id: newMessageId(),
    webhook_id: webhookId,
    receiver: receiverOf(url),
    url,
    secret_token: secretToken,
    event,
    data,
  }));
  countBytes(
    unit,
    account,
    sent.reduce((sum, one) => sum + bytesOf(one), 0),
  );
  const payload = JSON.stringify(unit.trace === undefined ? {} : { trace: unit.trace });
  const { rows: inserted } = await unit.queries.execute<{ id: string }>(sql`
    WITH wanted AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS row (job_id text, message_id text, webhook_id bigint, receiver text, url text, secret_token text, event text, data jsonb)
    ), added AS (
      INSERT INTO jobs (job_id, kind, charged_to, charged_group, state, payload, details, receiver, due_at, created_at)
      SELECT job_id, ${KIND}, ${account}, ${unit.jobGroup}, 'PENDING', ${payload}::jsonb, '{}', receiver, ${unit.now}, ${unit.now} FROM wanted
      RETURNING id, job_id
    )
    INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, job_id, created_at)
    SELECT message_id, webhook_id, url, secret_token, event, data, 'pending', added.id, ${unit.now}
    FROM wanted JOIN added USING (job_id) RETURNING id`);
  unit.wakeWorkers();
  return inserted.map(({ id }) => Number(id));
}

/**
 * Omits deliveries equal to one that is queued for its first attempt. Locks the job of the queued
 * delivery until the end of the
 * transaction, so that no worker sends it before the announced change is visible. Ignores jobs that a worker has taken.
 */
async function withoutWaiting(unit: UnitOfWork, wanted: readonly NewDelivery[]): Promise<NewDelivery[]> {
  const keys = wanted.map(({ webhookId, event, data, url, secretToken }) => ({
    webhook_id: webhookId,
    event,
    data,
    url,
    secret_token: secretToken,
  }));
  const { rows } = await unit.queries.execute<{ place: string }>(sql`
    SELECT wanted.place FROM jsonb_to_recordset(${JSON.stringify(
      keys.map((key, place) => ({ place, ...key })),
    )}::jsonb) AS wanted (place bigint, webhook_id bigint, event text, data jsonb, url text, secret_token text)
    JOIN webhook_deliveries AS waiting ON waiting.state = 'pending' AND waiting.attempts = 0
      AND waiting.webhook_id = wanted.webhook_id AND waiting.event = wanted.event AND waiting.data = wanted.data
      AND waiting.url = wanted.url AND waiting.secret_token = wanted.secret_token
    JOIN jobs ON jobs.id = waiting.job_id AND jobs.state = 'PENDING'
    FOR SHARE OF jobs SKIP LOCKED`);
  if (rows.length === 0) return [...wanted];
  // A worker may have skipped a job while it was locked.
  unit.wakeWorkers();
  const known = new Set(rows.map(({ place }) => Number(place)));
  return wanted.filter((_, place) => !known.has(place));
}

/**
 * Cancels the unsent deliveries of a webhook.
 * @param reason recorded as the response of the deliveries
 * @param url cancel only deliveries to this URL
 */
export async function cancelDeliveries(
  unit: UnitOfWork,
  webhookId: number,
  reason: string,
  url?: string,
): Promise<void> {
  const cancelled = await unit.queries
    .update(webhookDeliveries)
    .set({ state: "failed", response: reason })
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhookId),
        sql`${webhookDeliveries.state} IN ('pending', 'retrying')`,
        url === undefined ? undefined : eq(webhookDeliveries.url, url),
      ),
    )
    .returning({ jobId: webhookDeliveries.jobId });
  const ids = cancelled.flatMap(({ jobId }) => jobId ?? []);
  // A job that a worker has taken does nothing, or is calling the receiver.
  if (ids.length > 0)
    await unit.queries.delete(jobs).where(and(sql`${jobs.id} = ANY(${sql.param(ids)}::bigint[])`, isWaiting));
}

/** Ends the delivery of a revoked job. */
export async function cancelDeliveryOf({ queries }: UnitOfWork, { jobId }: { jobId: number }): Promise<void> {
  await queries
    .update(webhookDeliveries)
    .set({ state: "failed", response: "Not sent: the operator of the service has revoked the job." })
    .where(
      and(eq(webhookDeliveries.jobId, jobId), sql`${webhookDeliveries.state} IN ('pending', 'retrying')`),
    );
}
