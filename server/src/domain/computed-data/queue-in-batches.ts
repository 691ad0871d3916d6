import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Rows that a transaction has examined. */
export interface Batch<Position> {
  /** Number of queued computations. */
  queued: number;
  /** Position of the last examined row, if there may be more. */
  last: Position | undefined;
}

/**
 * Queues the computation of outdated rows, in transactions of limited size.
 * @param first position before all rows
 * @param queueNext examines a limited number of rows after a position, whether or not they are outdated, because others wait for
 * the statement; queues the outdated ones
 * @param signal stops it after the current transaction
 * @returns number of queued computations
 */
export async function queueInBatches<Position>(
  ctx: Context,
  first: Position,
  queueNext: (unit: UnitOfWork, after: Position) => Promise<Batch<Position>>,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let after: Position | undefined = first; after !== undefined && !signal?.aborted; ) {
    const from: Position = after;
    const { queued, last } = await transact(ctx, "queueOutdated", (unit) => queueNext(unit, from));
    count += queued;
    after = last;
  }
  return count;
}
