import { eq } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { lockAccount } from "../change/account-lock.js";
import { QuotaExceeded, tooManyTimeframesOfOwner } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { requireDevicesTake } from "../timeframes/check.js";
import type { Timeframe } from "../timeframes/rules.js";

const WEEK_MS = 7 * 86_400_000;

/**
 * The number of time frames that an owner can still have. It is counted once for all transactions of a job's turn, because counting
 * hundreds of thousands takes longer than such a transaction. Requests count in each transaction, so the quota is exceeded at most
 * by the time frames that others add during the turn.
 */
export class TimeframeRoom {
  #left: number | undefined;
  /** The transaction that counted. */
  #countedIn: UnitOfWork | undefined;
  #isCountedAgain = false;
  /** Devices and weeks of time frames that earlier transactions of the turn added. */
  readonly #devices = new Set<string>();

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
      const count = async () =>
        config.quotaTimeframes -
        deleted -
        (await queries.$count(timeframes, eq(timeframes.ownerId, ownerId)));
      if (this.#left === undefined) {
        this.#left = await count();
        this.#countedIn = unit;
      } else if (added > this.#left + deleted && unit !== this.#countedIn && !this.#isCountedAgain) {
        // The owner may have deleted time frames since.
        this.#left = await count();
        this.#isCountedAgain = true;
      }
      if (added > this.#left + deleted)
        throw new QuotaExceeded(tooManyTimeframesOfOwner(config.quotaTimeframes));
    }
    // A transaction that is rolled back changes nothing.
    unit.afterCommit(() => {
      if (this.#left !== undefined) this.#left += deleted - added;
    });
  }

  /**
   * Limits the number of time frames of each device, like a request, once for each device and week of the turn.
   * @param rows new time frames, which have been written
   * @throws ServiceError `too_many_timeframes`
   */
  async requireDevicesTake(unit: UnitOfWork, rows: readonly Timeframe[]): Promise<void> {
    const placeOf = ({ deviceId, startTime }: Timeframe) =>
      `${deviceId} ${Math.floor(startTime.getTime() / WEEK_MS)}`;
    const unchecked = rows.filter((row) => !this.#devices.has(placeOf(row)));
    if (unchecked.length > 0) await requireDevicesTake(unit, unchecked);
    unit.afterCommit(() => {
      for (const row of unchecked) this.#devices.add(placeOf(row));
    });
  }
}
