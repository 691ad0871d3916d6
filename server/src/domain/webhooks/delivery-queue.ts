import { and, eq, type SQL, sql } from "drizzle-orm";
import { isWaiting, newJobId } from "../../store/queue/job-queue.js";
import { jobs, webhookDeliveries } from "../../store/schema.js";
import { changeInParts } from "../change/begin-again.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import {
  bytesOf,
  countBytes,
  countUnsent,
  DELIVERY_JOB,
  type Destination,
  limitOf,
  type NewDelivery,
  newMessageId,
  requireRoom,
} from "./delivery-limits.js";
import type { Delivery } from "./rules.js";

/**
 * Inserts deliveries and their jobs, within the caller's transaction. The number of statements does not depend on the
 * number of deliveries. Skips an event when an equal one is queued and not yet attempted. Deliveries over the quota are not sent;
 * one failed delivery per webhook counts them.
 * @param account the owner of the webhooks
 * @param atMost number of deliveries of one change; the others are not compared with those that are queued
 * @returns whether the account had no room for any of them
 */
export async function createDeliveries(
  unit: UnitOfWork,
  account: number,
  wanted: readonly NewDelivery[],
  atMost = Number.POSITIVE_INFINITY,
): Promise<{ isFull: boolean }> {
  if (wanted.length === 0) return { isFull: false };
  const added = await withoutWaiting(unit, wanted.slice(0, atMost));
  const limit = await limitOf(unit, account, added);
  const { room } = limit;
  const reason = room < added.length ? limit.reason : `a change sends at most ${atMost} events.`;
  const sent = added.slice(0, room);
  if (sent.length > 0) await insertDeliveries(unit, account, sent);
  await countUnsent(unit, account, [...added.slice(room), ...wanted.slice(atMost)], reason);
  return { isFull: room === 0 && added.length > 0 };
}

/**
 * Adds the job that writes many deliveries after the transaction. If a limit is reached, counts their events as not
 * sent instead, because no other limit applies to these jobs.
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

/**
 * Includes the port. Otherwise an account could fill the slots of a host, which all accounts share, with calls to a port of it that
 * never answers.
 */
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
    kind: DELIVERY_JOB,
    payload: {},
    receiver: receiverOf(wanted.url),
    chargedTo: account,
  });
  if (job === undefined) throw new Error("The job of the delivery was not inserted");
  return job.id;
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
      SELECT job_id, ${DELIVERY_JOB}, ${account}, ${unit.jobGroup}, 'PENDING', ${payload}::jsonb, '{}', receiver, ${unit.now}, ${unit.now} FROM wanted
      RETURNING id, job_id
    )
    INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, job_id, created_at)
    SELECT message_id, webhook_id, url, secret_token, event, data, 'pending', added.id, ${unit.now}
    FROM wanted JOIN added USING (job_id) RETURNING id`);
  unit.wakeWorkers();
  return inserted.map(({ id }) => Number(id));
}

/**
 * Omits deliveries equal to one that is queued for its first attempt. Locks the job of the queued delivery until the
 * end of the transaction, so no worker sends it before the announced change is visible. Ignores jobs that a worker has
 * taken.
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

/** Unsent deliveries of a webhook. The states are literals, because the partial index does not match parameters. */
const unsentOf = (webhookId: number): SQL =>
  sql`webhook_id = ${webhookId} AND state IN ('pending', 'retrying')`;

/**
 * Cancels the unsent deliveries of a webhook that is being disabled or deleted, in parts.
 * @param reason recorded as the response of the deliveries
 * @param only condition of these deliveries
 */
export const cancelDeliveries = (
  unit: UnitOfWork,
  webhookId: number,
  reason: string,
  only: SQL = sql`TRUE`,
): Promise<void> =>
  changeInParts(unit, async (queries, limit) => {
    // A job that a worker has taken either does nothing or is calling the receiver.
    const { rows } = await queries.execute<{ count: number }>(sql`
      WITH cancelled AS (
        UPDATE ${webhookDeliveries} SET state = 'failed', response = ${reason}
        WHERE id = ANY(ARRAY(
          SELECT id FROM ${webhookDeliveries} WHERE ${unsentOf(webhookId)} AND ${only} LIMIT ${limit} FOR UPDATE
        ))
        RETURNING job_id
      ), ended AS (
        DELETE FROM ${jobs} USING cancelled WHERE ${jobs.id} = cancelled.job_id AND ${isWaiting}
      )
      SELECT count(*)::int AS count FROM cancelled`);
    return rows[0]?.count ?? 0;
  });

/** Ends the delivery of a revoked job. */
export async function cancelDeliveryOf({ queries }: UnitOfWork, { jobId }: { jobId: number }): Promise<void> {
  await queries
    .update(webhookDeliveries)
    .set({ state: "failed", response: "Not sent: the operator of the service has revoked the job." })
    .where(
      and(eq(webhookDeliveries.jobId, jobId), sql`${webhookDeliveries.state} IN ('pending', 'retrying')`),
    );
}
