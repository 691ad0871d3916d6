import type { Interval } from "../../store/samples/index.js";
import type * as tables from "../../store/schema.js";

type Account = typeof tables.accounts.$inferSelect;
type Activity = typeof tables.activities.$inferSelect;
type BluetoothConfiguration = typeof tables.bluetoothConfigurations.$inferSelect;
type Device = typeof tables.devices.$inferSelect;
type Ownership = typeof tables.ownerships.$inferSelect;
type Recipe = typeof tables.recipes.$inferSelect;
type Permission = typeof tables.permissions.$inferSelect;
type Timeframe = typeof tables.timeframes.$inferSelect;
type Webhook = typeof tables.webhooks.$inferSelect;
type WebhookDelivery = typeof tables.webhookDeliveries.$inferSelect;

/** A row before and after; null before it is created and after it is deleted. */
export type Changed<Row> = { before: Row; after: Row | null } | { before: null; after: Row };

/** What an erasure removes beyond a deletion: also every trace by which the person could be recognised. */
export interface ErasureDetails {
  kind: "erased" | "erased with samples";
  /** Number of removed rows by kind, for the proof. */
  rows: Readonly<Record<string, number>>;
}

/** An activity as read: without `json`, which may be megabytes, when that does not change. */
type ActivityRead = Activity | Omit<Activity, "json">;

/**
 * The events that a change can announce, and their data. `effects.ts` lists what follows from each.
 */
export interface Events {
  accountCreated: { account: Account };
  accountUpdated: { before: Account; after: Account };
  /** The account is closed; its deletion follows in separate transactions. */
  accountClosed: { accountId: number };
  /** Announced before the row of the account is deleted. */
  accountDeleted: { account: Account };
  /**
   * Announced after the row of the account is deleted, last in the transaction: the list of erasures is not rolled back.
   * `erasure` is absent when traces in the audit stay.
   */
  accountRemoved: { account: Account; erasure?: ErasureDetails };

  permissionsGranted: { granted: readonly Permission[] };
  permissionsRevoked: { revoked: readonly Permission[] };

  deviceChanged: Changed<Device>;
  bluetoothChanged: {
    deviceId: number;
    before: BluetoothConfiguration | null;
    after: BluetoothConfiguration | null;
  };

  /** A device was taken or released, or its ownership begins earlier. */
  ownershipChanged: { before: Ownership | null; after: Ownership };
  /** Another manager than the last owner has taken the device. */
  ownerReplaced: { deviceId: number };
  /**
   * The ownerships of a deleted manager are being removed from the history of a device; `wasLast`: nobody owned it after
   * them. Announced before the ownerships are deleted, and before the values in the audit are erased.
   */
  ownerErased: { deviceId: number; ownershipIds: number[]; wasLast: boolean };
  /** Announced after the ownerships are deleted, and the time frames of their manager. */
  ownershipsErased: { deviceId: number; erased: readonly number[]; changed: readonly Interval[] };

  /** The operator has revoked a job that had not ended. */
  jobRevoked: { jobId: number };
  /** A recording was accepted and waits for its job. */
  recordingAccepted: { jobId: number; details: Record<string, unknown> };
  /** Samples of a device were stored, all of one owner when `ownerId` is there; `changed` are the times at which samples are new or gained a heart rate. */
  samplesStored: { deviceId: number; ownerId?: number; changed: readonly Interval[] };
  /** Samples that a manager loaded were not stored: see `SampleFilter`. */
  samplesRefused: {
    deviceId: number;
    managerId: number;
    /** Number of samples that the recording has, that were refused, and of these that nobody owned. */
    counts: { read: number; refused: number; unowned: number };
  };
  /** Samples of a device were removed with the person for whom they were recorded. */
  samplesErased: { deviceId: number; ownerId: number; changed: readonly Interval[] };
  /** Samples of a device were removed because of their age; each interval is from the first to the last removed sample. */
  samplesExpired: { deviceId: number; removed: readonly Interval[]; count: number };

  /** The operator has deleted samples of a device, in closed intervals. */
  samplesDeleted: { deviceId: number; deleted: readonly Interval[]; count: number };

  activityCreated: { activity: Activity };
  activityUpdated: { before: ActivityRead; after: ActivityRead };
  /** Announced before the activity and its webhooks are deleted, and after its time frames are deleted. */
  activityDeleted: { activity: Activity };
  /** The owner is being deleted with everything that belongs to it. */
  activitiesErased: { ids: readonly number[] };

  timeframeCreated: { timeframe: Timeframe };
  timeframeUpdated: { before: Timeframe; after: Timeframe };
  /**
   * Announced before the rows are deleted; `withActivity`: their activity and its webhooks are deleted in the same
   * transaction.
   */
  timeframesDeleted: { deleted: readonly Timeframe[]; withActivity: boolean };

  /** Newer rules would compute other figures for these time frames. */
  resultsOutdated: { timeframes: readonly Pick<Timeframe, "id" | "ownerId">[] };

  recipeChanged: Changed<Recipe>;

  webhookChanged: Changed<Webhook>;
  /** The caller has asked for a delivery; those that follow from events are not announced. */
  deliveryChanged: Changed<WebhookDelivery>;
}
