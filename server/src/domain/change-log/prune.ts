import { lte, sql } from "drizzle-orm";
import { changeEpochs, changes, PRUNED } from "../../store/schema.js";
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

/** Number of rows that one statement passes over when it counts the changes of an account. */
const COUNTED_AT_A_TIME = 10_000;

interface Position {
  xid: string;
  seq: string;
}

/** Returns the next account with changes. Reads one index entry, regardless of the number of changes. */
async function nextReader({ queries }: Context, after: number): Promise<number | undefined> {
  const { rows } = await queries.execute<{ account_id: string }>(
    sql`SELECT account_id FROM ${changes} WHERE account_id > ${after} ORDER BY account_id LIMIT 1`,
  );
  return rows[0] && Number(rows[0].account_id);
}

/** Returns the oldest change of an account that is kept; undefined if all are kept. Counts them in several statements. */
async function oldestKept({ queries, config }: Context, accountId: number): Promise<Position | undefined> {
  let oldest: Position | undefined;
  for (let left = config.changesPerAccount; left > 0; left -= COUNTED_AT_A_TIME) {
    const before = oldest && sql`AND (xid, seq) < (${oldest.xid}::xid8, ${oldest.seq}::bigint)`;
    const { rows } = await queries.execute<Position & Record<string, unknown>>(sql`
      SELECT xid::text, seq FROM ${changes} WHERE account_id = ${accountId} ${before ?? sql``}
      ORDER BY ${changes}.xid DESC, seq DESC OFFSET ${Math.min(left, COUNTED_AT_A_TIME) - 1} LIMIT 1`);
    oldest = rows[0];
    if (oldest === undefined) return undefined;
  }
  return oldest;
}

/**
 * Removes changes of an account before a position, oldest first, and notes the last removed position. Cursors of the account before
 * this position are then refused.
 * @param limit maximum number
 * @returns their number
 */
async function pruneBefore(
  { queries, clock }: Context,
  accountId: number,
  { xid, seq }: Position,
  limit: number,
): Promise<number> {
  const { rows } = await queries.execute<{ count: string }>(sql`
    WITH removed AS (
      DELETE FROM ${changes} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${changes} WHERE account_id = ${accountId} AND kind <> ${PRUNED}
          AND (xid, seq) < (${xid}::xid8, ${seq}::bigint) ORDER BY xid, seq LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING xid, seq
    ), noted AS (
      INSERT INTO ${changes} AS known (account_id, kind, object_id, xid, seq, changed_at)
      SELECT ${accountId}, ${PRUNED}, 0, xid, seq, ${clock.now()} FROM removed ORDER BY xid DESC, seq DESC LIMIT 1
      ON CONFLICT (account_id, kind, object_id, day) DO UPDATE SET xid = excluded.xid, seq = excluded.seq,
        changed_at = excluded.changed_at WHERE (excluded.xid, excluded.seq) > (known.xid, known.seq)
    ) SELECT count(*) FROM removed`);
  return Number(rows[0]?.count ?? 0);
}

/**
 * Removes the oldest changes of accounts with more than `changesPerAccount`, so that no account fills the table. Any number of
 * workers may run it concurrently.
 * @param limit maximum number of changes that one statement removes
 * @param onRemoved called with the number of changes after each statement that removed some
 */
export async function pruneSurplus(
  ctx: Context,
  limit: number,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  let account = await nextReader(ctx, 0);
  while (account !== undefined && !signal?.aborted) {
    const oldest = await oldestKept(ctx, account);
    for (let count = limit; oldest !== undefined && count === limit && !signal?.aborted; ) {
      count = await pruneBefore(ctx, account, oldest, limit);
      if (count > 0) onRemoved(count);
    }
    account = await nextReader(ctx, account);
  }
}
