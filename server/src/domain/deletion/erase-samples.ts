import { and, eq, lt, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import {
  deleteSamplesBetween,
  firstBatch,
  type Interval,
  listRanges,
  sqlClientOf,
} from "../../store/samples/index.js";
import { timeframes } from "../../store/schema.js";
import { lockDevice } from "../bulk-load/store-batches.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { type Run, removeNoted } from "../raw-data/noted-removal.js";
import { waitingLoadsOf } from "../raw-data/waiting-loads.js";
import { type Worn, wornDevices, wornPart } from "../sample-ownership/wearers.js";
import { deleteTimeframes, OF_ATHLETE_AT_A_TIME } from "../timeframes/remove.js";

/** Limits on one transaction, because other transactions wait for it. */
const INTERVALS_AT_A_TIME = 100;
const CHUNKS_AT_A_TIME = 1_000;

export interface ErasedSamples {
  /** Number of removed samples. */
  removed: number;
  /** Number of kept samples, which belong to another athlete because of an older time frame. */
  kept: number;
}

/**
 * Removes the samples of an athlete, and time frames that then have none, in transactions of limited size. The caller removes the
 * other time frames, and prevents new ones until then.
 * @returns also the number of recordings that are not loaded completely and may add the samples again
 */
export async function eraseSamples(
  queries: Queries,
  athleteId: number,
  run: Run,
): Promise<ErasedSamples & { waiting: number }> {
  const erased = { removed: 0, kept: 0 };
  const devices = await wornDevices(queries, athleteId);
  for (const worn of devices) {
    for (let fromMs: number | undefined = worn.startMs; fromMs !== undefined; ) {
      const part: Part = await removeNoted(run, (unit) => erasePart(unit, worn, fromMs ?? worn.startMs));
      erased.removed += part.removed;
      erased.kept += part.kept;
      fromMs = part.nextMs;
    }
  }
  return { ...erased, waiting: await waitingLoadsOf(queries, devices) };
}

interface Part extends ErasedSamples {
  /** Start of the next part, ms since 1970 UTC. */
  nextMs: number | undefined;
}

/**
 * Determines the athlete and the owner of the samples in the same transaction, because a manager may assign a time frame to another
 * athlete. The lock prevents another manager from taking the device until the samples are removed.
 */
async function erasePart(unit: UnitOfWork, worn: Worn, fromMs: number): Promise<Part> {
  const { queries } = unit;
  const { deviceId, ownerId, athleteId } = worn;
  const client = sqlClientOf(queries);
  const changed: Interval[] = [];
  const removed: Interval[] = [];
  await lockDevice(queries, deviceId);
  const { own, others, stopMs: lastMs } = await wornPart(queries, worn, fromMs);
  const times = [
    ...own.map((one) => ({ ...one, isOwn: true })),
    ...others.map((one) => ({ ...one, isOwn: false })),
  ].sort((a, b) => a.startMs - b.startMs);
  const part: Part = { removed: 0, kept: 0, nextMs: lastMs < worn.stopMs ? lastMs + 1 : undefined };
  let chunks = CHUNKS_AT_A_TIME;
  let intervals = INTERVALS_AT_A_TIME;
  for (const { startMs, stopMs, isOwn } of times) {
    if (intervals === 0 || chunks <= 0) {
      part.nextMs = startMs;
      break;
    }
    intervals--;
    const slice = await firstBatch(client, deviceId, startMs, stopMs + 1, chunks);
    chunks -= slice.chunks;
    const end = slice.toMs - 1;
    if (slice.chunks > 0 && !isOwn) {
      const ranges = await listRanges(client, deviceId, [{ startMs, stopMs: end }]);
      part.kept += ranges.reduce((sum, { size }) => sum + size, 0);
    } else if (isOwn) {
      if (slice.chunks > 0) {
        const { count, times } = await deleteSamplesBetween(client, deviceId, startMs, slice.toMs);
        part.removed += count;
        removed.push(...times);
      }
      // Report the times even if retention removed the samples first, because results of others may include them.
      changed.push({ startMs, stopMs: end });
    }
    if (end < stopMs) {
      part.nextMs = slice.toMs;
      break;
    }
  }
  const done = sql`${and(
    eq(timeframes.athleteId, athleteId),
    eq(timeframes.deviceId, deviceId),
    eq(timeframes.ownerId, ownerId),
    part.nextMs === undefined ? undefined : lt(timeframes.endTime, new Date(part.nextMs)),
  )}`;
  await deleteTimeframes(unit, done, { limit: OF_ATHLETE_AT_A_TIME });
  if (changed.length > 0) await unit.announce("samplesErased", { deviceId, ownerId, changed, removed });
  return part;
}
