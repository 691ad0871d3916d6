import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../domain/change/context.js";
import { MAX_DELIVERIES } from "../domain/webhooks/delivery-limits.js";
import { webhookDeliveries } from "../store/schema.js";

/** Number of rows that one statement removes, so that it holds their locks only briefly. */
const ROWS_PER_STATEMENT = 1000;

/**
 * Removes older deliveries of webhooks with more than `MAX_DELIVERIES`, except those that will be tried again, so that a list with
 * a filter examines a limited number of rows. Any number of workers may run it concurrently.
 * @param onRemoved called with the number of rows after each statement that removed some
 */
export async function removeSurplusDeliveries(
  ctx: Context,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  let next = await nextWebhooks(ctx, 0);
  for (; next.length > 0 && !signal?.aborted; next = await nextWebhooks(ctx, next.at(-1)?.id ?? 0))
    for (const webhook of next) await removeSurplusOf(ctx, webhook, signal, onRemoved);
}

interface Webhook {
  id: number;
  /** Id of the newest delivery above the limit; null if there is none. */
  surplus: number | null;
}

/** Number of webhooks that one statement examines. It counts the deliveries of each. */
const WEBHOOKS_PER_STATEMENT = 100;

/** Returns the next webhooks with deliveries. Searches the index once per webhook, like `groupsWaiting`. */
async function nextWebhooks({ queries }: Context, after: number): Promise<Webhook[]> {
  const next = (from: SQL) =>
    sql`SELECT webhook_id AS id FROM ${webhookDeliveries} WHERE webhook_id > ${from} ORDER BY webhook_id LIMIT 1`;
  const { rows } = await queries.execute<{ id: string; surplus: string | null }>(sql`
    WITH RECURSIVE walk AS (
      SELECT id, 1 AS steps FROM (${next(sql`${after}`)}) AS first
      UNION ALL
      SELECT following.id, steps + 1 FROM walk CROSS JOIN LATERAL (${next(sql`walk.id`)}) AS following
      WHERE steps < ${WEBHOOKS_PER_STATEMENT}
    ) SELECT walk.id, (
      SELECT id FROM ${webhookDeliveries} WHERE webhook_id = walk.id ORDER BY id DESC OFFSET ${MAX_DELIVERIES} LIMIT 1
    ) AS surplus FROM walk ORDER BY walk.id`);
  return rows.map(({ id, surplus }) => ({
    id: Number(id),
    surplus: surplus === null ? null : Number(surplus),
  }));
}

async function removeSurplusOf(
  { queries }: Context,
  { id: webhook, surplus }: Webhook,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  if (surplus === null) return;
  let after = 0;
  for (let count = ROWS_PER_STATEMENT; count === ROWS_PER_STATEMENT && !signal?.aborted; ) {
    const removed = await queries.execute<{ id: string }>(sql`
      DELETE FROM ${webhookDeliveries} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${webhookDeliveries}
        WHERE webhook_id = ${webhook} AND id > ${after} AND id <= ${surplus} AND state IN ('delivered', 'failed')
        ORDER BY id LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED
      )) RETURNING id`);
    count = removed.rows.length;
    after = Math.max(after, ...removed.rows.map(({ id }) => Number(id)));
    if (count > 0) onRemoved(count);
  }
}
