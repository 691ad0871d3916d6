import { randomUUID } from "node:crypto";
import { and, count, eq, inArray, sql } from "drizzle-orm";
import { isWaiting, type JobKind, newJobId } from "../../store/queue.js";
import { jobs, webhookDeliveries } from "../../store/schema.js";
import { errors } from "../errors.js";
import type { UnitOfWork } from "../unit-of-work.js";
import type { Delivery } from "./rules.js";

/** What is sent, and where to: the URL and the encrypted secret at that time. */
export interface NewDelivery {
  webhookId: number;
  url: string;
  secretToken: string;
  event: string;
  data: { activity_id: number; timeframe_id?: number };
}

const KIND: JobKind = "webhook";

/** How many more deliveries of an account may wait. */
async function roomFor(unit: UnitOfWork, account: number): Promise<number> {
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
 * Writes deliveries and the jobs that carry them, within the caller's transaction and with as many statements for a
 * thousand as for one. An event that equals one that nobody has tried to send yet is not written: that one tells of it.
 * Beyond the quota nothing is sent; one failed delivery of each webhook says so.
 * @param account the owner of the webhooks
 */
export async function writeDeliveries(
  unit: UnitOfWork,
  account: number,
  wanted: readonly NewDelivery[],
): Promise<void> {
  if (wanted.length === 0) return;
  const added = await withoutWaiting(unit, wanted);
  const room = await roomFor(unit, account);
  const sent = added.slice(0, room);
  const unsent = new Map<number, NewDelivery[]>();
  for (const delivery of added.slice(room)) {
    unsent.set(delivery.webhookId, [...(unsent.get(delivery.webhookId) ?? []), delivery]);
  }
  if (sent.length > 0) await insertSent(unit, account, sent);
  if (unsent.size > 0) {
    await unit.queries.insert(webhookDeliveries).values(
      [...unsent.values()].map(([first, ...more]) => ({
        ...(first as NewDelivery),
        messageId: newMessageId(),
        state: "failed" as const,
        response: `Not sent, nor ${more.length} more: ${unit.config.webhookMaxPending} deliveries of the account wait already.`,
        createdAt: unit.now,
      })),
    );
  }
}

/**
 * Writes one delivery, though an equal one may wait.
 * @returns its row
 * @throws ServiceError `too_many_deliveries`
 */
export async function writeDelivery(
  unit: UnitOfWork,
  account: number,
  wanted: NewDelivery,
): Promise<Delivery> {
  await requireRoom(unit, account);
  const [id] = await insertSent(unit, account, [wanted]);
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
 * Adds the job that carries a delivery to the URL.
 * @returns its id
 * @throws ServiceError `too_many_deliveries`
 */
export async function carry(unit: UnitOfWork, account: number, url: string): Promise<number> {
  await requireRoom(unit, account);
  const job = await unit.enqueue({
    kind: KIND,
    payload: {},
    receiver: receiverOf(url),
    chargedTo: account,
  });
  if (job === undefined) throw new Error("The job of the delivery was not added");
  return job.id;
}

async function requireRoom(unit: UnitOfWork, account: number): Promise<void> {
  if ((await roomFor(unit, account)) > 0) return;
  const { webhookMaxPending } = unit.config;
  throw errors.conflict(
    "too_many_deliveries",
    `${webhookMaxPending} deliveries of your webhooks wait already. Wait for some to end, or delete the webhook that fails.`,
  );
}

async function insertSent(
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
  const { rows: inserted } = await unit.queries.execute<{ id: string }>(sql`
    WITH wanted AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS row (job_id text, message_id text, webhook_id bigint, receiver text, url text, secret_token text, event text, data jsonb)
    ), carrying AS (
      INSERT INTO jobs (job_id, kind, charged_to, state, payload, details, receiver, due_at, created_at)
      SELECT job_id, ${KIND}, ${account}, 'PENDING', '{}', '{}', receiver, ${unit.now}, ${unit.now} FROM wanted
      RETURNING id, job_id
    )
    INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, job_id, created_at)
    SELECT message_id, webhook_id, url, secret_token, event, data, 'pending', carrying.id, ${unit.now}
    FROM wanted JOIN carrying USING (job_id) RETURNING id`);
  unit.jobsWait();
  return inserted.map(({ id }) => Number(id));
}

/**
 * Leaves out what equals a delivery that waits for its first attempt. Its job is locked until the end of the
 * transaction, so that no worker sends it before the change that it is to tell of can be seen; one that a worker has
 * just taken does not count.
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
  // A worker may have passed over a job while it was locked.
  unit.jobsWait();
  const known = new Set(rows.map(({ place }) => Number(place)));
  return wanted.filter((_, place) => !known.has(place));
}

/**
 * Gives up what is still to be sent of a webhook.
 * @param reason stands in the deliveries as their response
 * @param url only what goes to this one
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
  // One that a worker has finds nothing more to do, or is calling the receiver at this moment.
  if (ids.length > 0) await unit.queries.delete(jobs).where(and(inArray(jobs.id, ids), isWaiting));
}
