import type { Sport } from "asi-convert/metrics";
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

/** A session with the columns of its activity. Both have the same id. */
export type Session = Omit<typeof tables.sessions.$inferSelect, "activityId"> & {
  id: number;
  name: string;
  ownerId: number;
  sport: Sport;
  /** Version of the activity. */
  activityVersion: number;
};

/**
 * A row of `periods.csv`. Without times, the athlete does not take part. Without an athlete, the row is the interval of
 * all others.
 */
export type PeriodRow = Pick<
  typeof tables.sessionPeriods.$inferSelect,
  "name" | "athleteId" | "startTime" | "endTime"
>;

/** A row before and after a change: `before` is null for a new row, `after` for a deleted one. */
export type Changed<Row> = { before: Row; after: Row | null } | { before: null; after: Row };

/** A row before and after a change that deletes none: `before` is null for a new row. */
export interface Written<Row> {
  before: Row | null;
  after: Row;
}

/** Details of an erasure, which unlike a deletion also removes every trace that could identify the person. */
export interface ErasureDetails {
  kind: "erased" | "erased with samples";
  /** Number of removed rows by kind, for the proof of the erasure. */
  rows: Readonly<Record<string, number>>;
}

/** An activity as read: without `json`, which can be several megabytes, when `json` does not change. */
type ActivityRead = Activity | Omit<Activity, "json">;

/** Events that a change can announce, and their data. `effects.ts` lists the reactions to each. */
export interface Events {
  accountsCreated: { created: readonly Account[] };
  /** With `isMailed: false`, the user gets no email about changed credentials. */
  accountUpdated: { before: Account; after: Account; isMailed?: boolean };
  /** The account is closed. Its deletion follows in separate transactions. */
  accountClosed: { accountId: number };
  /** Announced before the row of the account is deleted. */
  accountDeleted: { account: Account };
  /**
   * Announced after the row of the account is deleted, last in the transaction, because the list of erasures is not rolled back.
   * `erasure` is absent when traces in the audit log are kept.
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
  /** A manager other than the last owner has taken the device. */
  ownerReplaced: { deviceId: number };
  /**
   * The ownerships of a deleted manager are being removed from the history of a device. `wasLast` means that the device had no
   * later owner. Announced before the ownerships are deleted, and before the values in the audit log are erased.
   */
  ownerErased: { deviceId: number; ownerId: number; ownershipIds: number[]; wasLast: boolean };
  /** Announced after the ownerships and the time frames of their manager are deleted. */
  ownershipsErased: { deviceId: number; erased: readonly number[]; changed: readonly Interval[] };

  /** The operator has revoked a job that has not ended. */
  jobRevoked: { jobId: number };
  /** A recording was accepted and waits for its job. */
  recordingAccepted: { jobId: number; details: Record<string, unknown> };
  /**
   * Samples of a device were stored. `ownerId` is present if all of them belong to one owner; `changed` contains the times with
   * new samples or new heart rates.
   */
  samplesStored: { deviceId: number; ownerId?: number; changed: readonly Interval[] };
  /**
   * A load on a sample server found all of its samples already stored, possibly by an earlier run of the same load.
   */
  samplesFound: { deviceId: number; found: readonly Interval[] };
  /** Some samples that a manager loaded were not stored; see `SampleFilter`. */
  samplesRefused: {
    deviceId: number;
    managerId: number;
    /** Number of samples in the recording, number of refused samples, and number of refused samples without an owner. */
    counts: { read: number; refused: number; unowned: number };
  };
  /** A gateway begins to stream a recording, or continues after `bytes`. */
  streamBegun: { deviceId: number; managerId: number; recording: string; bytes: number };
  /** The request of a gateway that streamed a recording has ended. */
  streamEnded: { deviceId: number; details: Record<string, unknown> };
  /**
   * Samples of a device were removed with the person whom they describe. `changed` contains the times of the person, and
   * `removed` the times of the removed samples.
   */
  samplesErased: {
    deviceId: number;
    ownerId: number;
    changed: readonly Interval[];
    removed: readonly Interval[];
  };
  /**
   * Samples of a device were removed because of their age. Each interval extends from the first to the last removed
   * sample.
   */
  samplesExpired: { deviceId: number; removed: readonly Interval[]; count: number };

  /** The operator has deleted samples of a device, in closed intervals. `removed` contains their times. */
  samplesDeleted: {
    deviceId: number;
    deleted: readonly Interval[];
    removed: readonly Interval[];
    count: number;
  };

  activityCreated: { activity: Activity };
  activityUpdated: { before: ActivityRead; after: ActivityRead };
  /** Announced before the activity and its webhooks are deleted, and after its time frames are deleted. */
  activityDeleted: { activity: Activity };
  /** The owner is being deleted with everything that belongs to it. */
  activitiesErased: { ids: readonly number[] };

  sessionChanged: { before: Session | null; after: Session };
  sessionPeriodsChanged: { session: Session; before: readonly PeriodRow[]; after: readonly PeriodRow[] };
  /** Time frames were added to a session. */
  timeframesDerived: { created: readonly Timeframe[] };

  timeframeCreated: { timeframe: Timeframe };
  timeframeUpdated: { before: Timeframe; after: Timeframe };
  /**
   * Announced before the rows are deleted. `withActivity` means that the same transaction deletes their activity and its
   * webhooks.
   */
  timeframesDeleted: { deleted: readonly Timeframe[]; withActivity: boolean };

  /** Newer rules would give different results for these time frames. */
  resultsOutdated: { timeframes: readonly Pick<Timeframe, "id" | "ownerId">[] };

  recipeChanged: Changed<Recipe>;

  squadChanged: Changed<typeof tables.squads.$inferSelect>;
  /** The owner is being deleted with the squads. Announced before they are deleted. */
  squadsErased: { ownerId: number };
  memberChanged: Changed<typeof tables.squadMembers.$inferSelect> & { ownerId: number };
  squadGrantChanged: Changed<typeof tables.squadGrants.$inferSelect>;
  assignmentChanged: Changed<typeof tables.assignments.$inferSelect>;
  /** A roster has changed many members of a squad and assignments at once. */
  rosterImported: {
    ownerId: number;
    squadId: number;
    members: readonly Written<typeof tables.squadMembers.$inferSelect>[];
    assignments: readonly Written<typeof tables.assignments.$inferSelect>[];
  };

  webhookChanged: Changed<Webhook>;
  /** The caller has requested a delivery. Deliveries caused by events are not announced. */
  deliveryChanged: Changed<WebhookDelivery>;
}
