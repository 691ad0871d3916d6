import { AsiError, decode, findRanges, type Range, type RecordingInfo, type Report } from "asi-convert";
import { eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { bodyOf, decompressBody } from "../../store/queue/job-body.js";
import { addToPayload } from "../../store/queue/job-lease.js";
import type { Job } from "../../store/queue/job-queue.js";
import {
  chunkTables,
  concatColumns,
  type Interval,
  type SampleColumns,
  type StoreResult,
  sqlClientOf,
  storeSamples,
} from "../../store/samples/index.js";
import { devices } from "../../store/schema.js";
import { EARLIEST_MS, LATEST_MS } from "../../wire/date-time.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { enforceSampleQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { updateDevice } from "../devices/device.js";
import { intersect } from "../sample-ownership/intervals.js";
import { ownedTimes, timesOfOthers } from "../sample-ownership/owners.js";
import type { BulkLoadPayload } from "./accept.js";
import { SampleFilter, type Times } from "./sample-filter.js";
import { requireFewChunks } from "./scattered.js";

/**
 * Maximum number of ranges and of readable times in the details of a job. A recording can have as many ranges as samples, and a
 * device can have thousands of ownerships.
 */
const MAX_LISTED = 1000;

/** The bytes of the job are missing. */
export class NoRecording extends Error {
  override readonly name = "NoRecording";
}

/**
 * Stores the samples of a recording and records the outcome in one transaction. The job may start several times but completes
 * once; its details describe that run.
 * @returns the job's details
 * @throws NoRecording
 * @throws AsiError when the recording is not completely readable or has no row, ScatteredRecording, QuotaExceeded; then nothing
 *   is stored
 */
export async function loadRecording(
  ctx: Context,
  job: Pick<Job, "id" | "leaseToken">,
  { device, manager }: BulkLoadPayload,
): Promise<Record<string, unknown>> {
  // Decode before the transaction: the embedded database has one session, so a transaction blocks all other work.
  const { batches, info, report } = await readRecording(ctx.queries, job);
  await requireFewChunks(batches, ctx.config.bulkLoadMaxChunks);
  const span = spanOf(batches);
  return transact(ctx, "bulk load", async (unit) => {
    const { queries } = unit;
    await lockDevice(queries, device);
    const latestMs = unit.now.getTime() + ctx.config.bulkLoadMaxAheadMs;
    const owner = { deviceId: device, ownerId: manager };
    const own = await ownedTimes(queries, owner, span);
    const times = { own, others: await timesOfOthers(queries, owner, span), latestMs };
    const filter = new SampleFilter(times);
    const result = await storeSamples(sqlClientOf(queries), device, filter.filter(batches));
    if (filter.read === 0) throw new AsiError("NO_SAMPLES", "The recording has no rows.", { report });
    await tellAgain(unit, device, filter.keptTimes, result);
    if (result.room > 0) await enforceSampleQuota(unit, manager, result.room);
    await unit.announce("samplesStored", { deviceId: device, ownerId: manager, changed: result.changed });
    const { read, refused, unowned } = filter;
    if (refused > 0) {
      const counts = { read, refused, unowned };
      await unit.announce("samplesRefused", { deviceId: device, managerId: manager, counts });
    }
    const details = detailsOf(device, times, filter, result, report);
    await recordFirmware(unit, device, info, filter.keptTimes);
    await addToPayload(queries, job, { details });
    return details;
  });
}

/**
 * Another server of samples commits before the coordinator. If the coordinator then fails, the job runs again and finds its samples, and
 * nobody has been told of them.
 */
async function tellAgain(
  unit: UnitOfWork,
  deviceId: number,
  times: readonly number[],
  { known, changed }: StoreResult,
): Promise<void> {
  if (known === 0 || changed.length > 0) return;
  const [table] = await chunkTables(sqlClientOf(unit.queries));
  if (table === "sample_chunks") return;
  const found = findRanges(ascending(times)).map(({ start, stop }) => ({ startMs: start, stopMs: stop }));
  await unit.announce("samplesFound", { deviceId, found });
}

interface RecordingRead {
  /** Take at most as much memory as the recording. */
  batches: SampleColumns[];
  info: RecordingInfo;
  report: Report;
}

async function readRecording(queries: Queries, job: Pick<Job, "id">): Promise<RecordingRead> {
  const body = await bodyOf(queries, job);
  if (body === null) throw new NoRecording("The recording has been removed.");
  // Samples without a recorded heart rate get one derived from the ECG waveform.
  const decoding = decode(decompressBody(body), { hr: "auto" });
  const batches: SampleColumns[] = [];
  for await (const batch of decoding) batches.push(concatColumns([batch]));
  return { batches, info: await decoding.info, report: await decoding.report };
}

/**
 * Makes requests that take or release the device wait until this transaction ends. Samples are then either stored
 * within an ownership or removed with it. The lock does not block rows that only refer to the device.
 */
async function lockDevice(queries: Queries, device: number): Promise<void> {
  await queries.select({ id: devices.id }).from(devices).where(eq(devices.id, device)).for("no key update");
}

/** Range from the first to the last time of a recording, without times that cannot be stored. */
function spanOf(batches: readonly SampleColumns[]): Interval {
  let [startMs, stopMs] = [LATEST_MS, EARLIEST_MS];
  for (const { timestampMs, length } of batches) {
    for (const ms of timestampMs.subarray(0, length)) {
      startMs = Math.max(Math.min(startMs, ms), EARLIEST_MS);
      stopMs = Math.min(Math.max(stopMs, ms), LATEST_MS);
    }
  }
  return { startMs, stopMs };
}

function detailsOf(
  device: number,
  { own }: Times,
  { read, refused, unowned, keptTimes }: SampleFilter,
  { stored, known }: StoreResult,
  { ranges: _ranges, ...report }: Report,
): Record<string, unknown> {
  const ranges = findRanges(ascending(keptTimes));
  const first = ranges[0];
  const last = ranges.at(-1);
  const readable =
    first === undefined || last === undefined
      ? []
      : intersect([{ startMs: first.start, stopMs: last.stop }], own);
  return {
    device,
    samples_read: read,
    samples_stored: stored,
    samples_known: known,
    samples_refused: refused,
    samples_unowned: unowned,
    start: first === undefined ? null : iso(first.start),
    stop: last === undefined ? null : iso(last.stop),
    ranges: ranges.slice(0, MAX_LISTED).map(toRange),
    ...(ranges.length > MAX_LISTED ? { ranges_left_out: ranges.length - MAX_LISTED } : {}),
    readable: readable.slice(0, MAX_LISTED).map(toInterval),
    ...(readable.length > MAX_LISTED ? { readable_left_out: readable.length - MAX_LISTED } : {}),
    report,
  };
}

/** Sorts only when necessary: sorting 300,000 times blocks the event loop for 20 ms, and most recordings are in order. */
function ascending(times: readonly number[]): Float64Array {
  const isInOrder = times.every((ms, i) => i === 0 || ms >= (times[i - 1] ?? ms));
  const all = Float64Array.from(times);
  return isInOrder ? all : all.sort();
}

const iso = (ms: number) => new Date(ms).toISOString();
const toRange = ({ start, stop, size }: Range) => ({ start: iso(start), stop: iso(stop), size });
const toInterval = ({ startMs, stopMs }: Interval) => ({ start: iso(startMs), stop: iso(stopMs) });

/** Sets the firmware version of a device from the newest loaded recording, unless the device has reported one later. */
async function recordFirmware(
  unit: UnitOfWork,
  deviceId: number,
  { firmwareVersion }: RecordingInfo,
  times: readonly number[],
): Promise<void> {
  if (times.length === 0 || firmwareVersion === "") return;
  const at = new Date(times.reduce((latest, ms) => Math.max(latest, ms)));
  const [device] = await unit.queries.select().from(devices).where(eq(devices.id, deviceId)).for("update");
  if (device === undefined || (device.firmwareAt !== null && device.firmwareAt >= at)) return;
  if (device.firmwareVersion !== firmwareVersion) {
    await updateDevice(unit, device, { firmwareVersion, firmwareAt: at });
    return;
  }
  // No visible property changes, so neither version nor audit is written.
  await unit.queries.update(devices).set({ firmwareAt: at }).where(eq(devices.id, deviceId));
}
