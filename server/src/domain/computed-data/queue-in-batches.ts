import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Rows that a transaction has examined. */
export interface Batch {
  /** Number of queued rows. */
  queued: number;
  /** Id of the last examined row, if there may be more. */
  last: number | undefined;
}

/**
 * Queues the computation of outdated rows, in transactions of limited size.
 * @param queueNext examines the rows with the next ids after the given one, a limited number, and queues the outdated ones
 * @param signal stops it after the current transaction
 * @returns number of queued rows
 */
export async function queueInBatches(
  ctx: Context,
  queueNext: (unit: UnitOfWork, after: number) => Promise<Batch>,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let after: number | undefined = 0; after !== undefined && !signal?.aborted; ) {
    const from: number = after;
    const { queued, last } = await transact(ctx, "queueOutdated", (unit) => queueNext(unit, from));
    count += queued;
    after = last;
  }
  return count;
}
