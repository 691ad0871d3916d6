import { eq } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { lockAccount } from "../change/account-lock.js";
import { QuotaExceeded, tooManyTimeframesOfOwner } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/**
 * The number of time frames that an owner can still have. It is counted once for all transactions of a job's turn, because counting
 * hundreds of thousands takes longer than such a transaction. Requests count in each transaction, so the quota is exceeded at most
 * by the time frames that others add during the turn.
 */
export class TimeframeRoom {
  #left: number | undefined;

  /**
   * Call it before adding time frames, and after deleting some.
   * @param deleted number of those that this transaction has deleted
   * @throws QuotaExceeded
   */
  async change(
    unit: UnitOfWork,
    ownerId: number,
    { added, deleted }: { added: number; deleted: number },
  ): Promise<void> {
    const { queries, config } = unit;
    if (added > 0) {
      await lockAccount(unit, ownerId);
      this.#left ??=
        config.quotaTimeframes -
        deleted -
        (await queries.$count(timeframes, eq(timeframes.ownerId, ownerId)));
      if (added > this.#left + deleted)
        throw new QuotaExceeded(tooManyTimeframesOfOwner(config.quotaTimeframes));
    }
    // A transaction that is rolled back changes nothing.
    unit.afterCommit(() => {
      if (this.#left !== undefined) this.#left += deleted - added;
    });
  }
}
