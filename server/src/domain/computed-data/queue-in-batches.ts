import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/**
 * Queues the computation of outdated rows, in transactions of limited size.
 * @param size maximum number of rows in a transaction
 * @param queueNext queues the rows with the next ids after the given one, at most `size`, and returns them ordered by id
 * @param signal stops it after the current transaction
 * @returns number of queued rows
 */
export async function queueInBatches(
  ctx: Context,
  size: number,
  queueNext: (unit: UnitOfWork, after: number) => Promise<readonly { id: number }[]>,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let after = 0; !signal?.aborted; ) {
    const batch = await transact(ctx, "queueOutdated", (unit) => queueNext(unit, after));
    count += batch.length;
    const last = batch.at(-1);
    if (last === undefined || batch.length < size) break;
    after = last.id;
  }
  return count;
}
