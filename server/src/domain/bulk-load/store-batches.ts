import { eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import {
  type Interval,
  type SampleColumns,
  type StoreResult,
  sqlClientOf,
  storeSamples,
} from "../../store/samples/index.js";
import { devices } from "../../store/schema.js";
import { EARLIEST_MS, LATEST_MS } from "../../wire/date-time.js";
import { enforceSampleQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { type Owner, ownedTimesAndOthers } from "../sample-ownership/owners.js";
import { refusalFor } from "./refusal.js";
import { SampleFilter } from "./sample-filter.js";

/** Result of storing the samples of a recording or of a part of it. */
export interface StoredBatches {
  filter: SampleFilter;
  result: StoreResult;
  /** Latest time of a sample that was stored or known; null if there is none. */
  latestKeptMs: number | null;
}

/**
 * Locks the device, so requests that take or release it wait until this transaction ends. Samples are then either
 * stored within an ownership or removed with it. The lock does not block rows that only refer to the device.
 */
export async function lockDevice(queries: Queries, device: number): Promise<void> {
  await queries.select({ id: devices.id }).from(devices).where(eq(devices.id, device)).for("no key update");
}

/**
 * Stores the samples that the owner of the device may store. The device must be locked.
 * @throws RecordingRefused, QuotaExceeded, SampleStoreError; the transaction must then be rolled back
 */
export async function storeBatches(
  unit: UnitOfWork,
  owner: Owner,
  batches: readonly SampleColumns[],
): Promise<StoredBatches> {
  const { queries } = unit;
  const filter = await filterFor(unit, owner, batches);
  const result = await storeSamples(sqlClientOf(queries), owner.deviceId, filter.filter(batches)).catch(
    (error: unknown) => {
      throw refusalFor(error);
    },
  );
  if (result.room > 0) await enforceSampleQuota(unit, owner.ownerId, result.room);
  const latestKeptMs = filter.keptTimes.reduce<number | null>(
    (latest, ms) => Math.max(latest ?? ms, ms),
    null,
  );
  return { filter, result, latestKeptMs };
}

/** Returns the filter for the samples that the owner of the device may store now. */
export async function filterFor(
  { queries, now, config }: Pick<UnitOfWork, "queries" | "now" | "config">,
  owner: Owner,
  batches: readonly SampleColumns[],
): Promise<SampleFilter> {
  const { own, others } = await ownedTimesAndOthers(queries, owner, spanOf(batches));
  return new SampleFilter({ own, others, latestMs: now.getTime() + config.bulkLoadMaxAheadMs });
}

/** Returns the range from the first to the last time of a recording, ignoring times that cannot be stored. */
export function spanOf(batches: readonly SampleColumns[]): Interval {
  let [startMs, stopMs] = [LATEST_MS, EARLIEST_MS];
  for (const { timestampMs, length } of batches) {
    for (const ms of timestampMs.subarray(0, length)) {
      startMs = Math.max(Math.min(startMs, ms), EARLIEST_MS);
      stopMs = Math.min(Math.max(stopMs, ms), LATEST_MS);
    }
  }
  return { startMs, stopMs };
}
