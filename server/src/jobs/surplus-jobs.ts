import { sql } from "drizzle-orm";
import type { Context } from "../domain/change/context.js";
import { jobs } from "../store/schema.js";

/** Number of rows that one statement removes, so that it holds their locks only briefly. */
const ROWS_PER_STATEMENT = 1000;

/** The jobs of one kind that are charged to one account. */
interface Share {
  account: number;
  kind: string;
}

/**
 * Removes the oldest finished jobs of accounts with more than `finishedJobsPerKind` of a kind, so that no account fills the table.
 * Any number of workers may run it concurrently.
 * @param onRemoved called with the number of rows after each statement that removed some
 */
export async function removeSurplusJobs(
  ctx: Context,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  let share = await nextShare(ctx, { account: -1, kind: "" });
  while (share !== undefined && !signal?.aborted) {
    await removeSurplusOf(ctx, share, signal, onRemoved);
    share = await nextShare(ctx, share);
  }
}

/** Returns the next account and kind with finished jobs. Reads one index entry, regardless of the number of jobs. */
async function nextShare({ queries }: Context, { account, kind }: Share): Promise<Share | undefined> {
  const { rows } = await queries.execute<{ account: string; kind: string }>(sql`
    SELECT charged_to AS account, kind FROM ${jobs} WHERE (charged_to, kind) > (${account}::bigint, ${kind}::text)
    ORDER BY charged_to, kind LIMIT 1`);
  return rows[0] && { account: Number(rows[0].account), kind: rows[0].kind };
}

async function removeSurplusOf(
  { queries, config }: Context,
  { account, kind }: Share,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  const isFinished = sql`charged_to = ${account} AND kind = ${kind} AND finished_at IS NOT NULL`;
  const newestSurplus = sql`(SELECT finished_at, id FROM ${jobs} WHERE ${isFinished}
    ORDER BY finished_at DESC, id DESC OFFSET ${config.finishedJobsPerKind} LIMIT 1)`;
  for (let count = ROWS_PER_STATEMENT; count === ROWS_PER_STATEMENT && !signal?.aborted; ) {
    const { rowCount } = await queries.execute(sql`
      DELETE FROM ${jobs} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${jobs} WHERE ${isFinished} AND (finished_at, id) <= ${newestSurplus}
        ORDER BY finished_at, id LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED
      ))`);
    count = rowCount ?? 0;
    if (count > 0) onRemoved(count);
  }
}
