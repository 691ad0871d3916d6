import type { Interval } from "../store/samples/index.js";
import type { accounts, timeframes } from "../store/schema.js";

type Account = typeof accounts.$inferSelect;
type Timeframe = typeof timeframes.$inferSelect;

/**
 * What a change can announce: the name of each event, and what is said with it. `effects.ts` lists what follows from each.
 */
export interface Events {
  /** The account's owner can no longer do anything; deletion follows, in transactions of its own. */
  accountClosed: { accountId: number };
  /** Announced before the account's row goes. */
  accountDeleted: { account: Account };
  passwordChanged: { accountId: number };
  /** The computation of the athlete's data depends on the age. */
  birthDateChanged: { athleteId: number };

  activityUpdated: { activityId: number };
  /** Announced before the activity and its webhooks go, and after its time frames have gone. */
  activityDeleted: { activityId: number };

  timeframeCreated: { timeframe: Timeframe };
  timeframeUpdated: { before: Timeframe; after: Timeframe };
  /** Announced before the rows go; `withActivity`: their activity and its webhooks go in the same transaction. */
  timeframesDeleted: { deleted: readonly Timeframe[]; withActivity: boolean };

  /** Samples of a device were stored; `changed` are the times at which samples are new or gained a heart rate. */
  samplesStored: { deviceId: number; changed: readonly Interval[] };
  /** Samples of a device were removed because of their age; from the first to the last of each piece. */
  samplesExpired: { deviceId: number; removed: readonly Interval[] };
  /** Newer rules would compute other figures for these time frames. */
  resultsOutdated: { timeframes: readonly Pick<Timeframe, "id" | "ownerId">[] };

  /** Another manager than the last owner has taken the device. */
  ownerReplaced: { deviceId: number };
  /**
   * A manager goes from the history of a device with these ownerships; `wasLast`: nobody owned it after that. Announced
   * before the ownerships go, and before the audit of the manager's times is erased.
   */
  ownerErased: { deviceId: number; ownershipIds: number[]; wasLast: boolean };
  /** Another manager owns the device at these times, or nobody does. */
  ownershipChanged: { deviceId: number; changed: readonly Interval[] };
}
