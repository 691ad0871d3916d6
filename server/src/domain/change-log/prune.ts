import { lte, sql } from "drizzle-orm";
import { changeEpochs, changes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { DAY_MS } from "../change/daily-bytes.js";

const daysAgo = ({ clock }: Context, days: number) => new Date(clock.now().getTime() - days * DAY_MS);

/**
 * Removes old changes and records the last removed position. Cursors before this position are then refused.
 * @param limit maximum number
 * @returns their number
 */
export async function pruneChanges(ctx: Context, limit: number): Promise<number> {
  const before = daysAgo(ctx, ctx.config.changesRetentionDays);
  const { rows } = await ctx.queries.execute<{ count: string }>(sql`
    WITH removed AS (
      DELETE FROM ${changes} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${changes} WHERE changed_at <= ${before} ORDER BY changed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING xid
    ), noted AS (
      UPDATE ${changeEpochs} SET pruned_through = greatest(pruned_through, (SELECT xid FROM removed ORDER BY xid DESC LIMIT 1))
      WHERE EXISTS (SELECT FROM removed)
    ) SELECT count(*) FROM removed`);
  return Number(rows[0]?.count ?? 0);
}

/** Removes epochs whose cursors are older than all kept changes. A process issues cursors of an epoch for one day. */
export async function pruneEpochs(ctx: Context): Promise<void> {
  const before = daysAgo(ctx, ctx.config.changesRetentionDays + 1);
  await ctx.queries.delete(changeEpochs).where(lte(changeEpochs.begunAt, before));
}
