import { sql } from "drizzle-orm";
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
  let webhook = await nextWebhook(ctx, 0);
  while (webhook !== undefined && !signal?.aborted) {
    await removeSurplusOf(ctx, webhook, signal, onRemoved);
    webhook = await nextWebhook(ctx, webhook);
  }
}

/** Returns the next webhook with deliveries. Reads one index entry, regardless of the number of deliveries. */
async function nextWebhook({ queries }: Context, after: number): Promise<number | undefined> {
  const { rows } = await queries.execute<{ id: string }>(sql`
    SELECT webhook_id AS id FROM ${webhookDeliveries} WHERE webhook_id > ${after} ORDER BY webhook_id LIMIT 1`);
  return rows[0] && Number(rows[0].id);
}

async function removeSurplusOf(
  { queries }: Context,
  webhook: number,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  const { rows } = await queries.execute<{ id: string }>(sql`
    SELECT id FROM ${webhookDeliveries} WHERE webhook_id = ${webhook} ORDER BY id DESC OFFSET ${MAX_DELIVERIES} LIMIT 1`);
  const newestSurplus = rows[0]?.id;
  if (newestSurplus === undefined) return;
  let after = 0;
  for (let count = ROWS_PER_STATEMENT; count === ROWS_PER_STATEMENT && !signal?.aborted; ) {
    const removed = await queries.execute<{ id: string }>(sql`
      DELETE FROM ${webhookDeliveries} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${webhookDeliveries}
        WHERE webhook_id = ${webhook} AND id > ${after} AND id <= ${newestSurplus} AND state IN ('delivered', 'failed')
        ORDER BY id LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED
      )) RETURNING id`);
    count = removed.rows.length;
    after = Math.max(after, ...removed.rows.map(({ id }) => Number(id)));
    if (count > 0) onRemoved(count);
  }
}
