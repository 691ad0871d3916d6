import { AsiError, decode, findRanges, type Range, type RecordingInfo, type Report } from "asi-convert";
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
} from "../../store/samples/index.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { intersect } from "../sample-ownership/intervals.js";
import type { BulkLoadPayload } from "./accept.js";
import { recordFirmware } from "./firmware.js";
import { requireFewChunks } from "./refusal.js";
import type { SampleFilter, Times } from "./sample-filter.js";
import { lockDevice, storeBatches } from "./store-batches.js";

/**
 * Maximum number of ranges and of readable times in the details of a job. A recording can have as many ranges as samples, and a
 * device can have thousands of ownerships.
 */
const MAX_LISTED = 1000;

/** Thrown when the recording of the job is missing. */
export class NoRecording extends Error {
  override readonly name = "NoRecording";
}

/**
 * Stores the samples of a recording and records the outcome in one transaction. The job may start several times but completes
 * once; its details describe that run.
 * @returns the job's details
 * @throws NoRecording
 * @throws AsiError when the recording is not completely readable or has no rows, RecordingRefused, QuotaExceeded; then nothing
 * is stored
 */
export async function loadRecording(
  ctx: Context,
  job: Pick<Job, "id" | "leaseToken">,
  { device, manager }: BulkLoadPayload,
): Promise<Record<string, unknown>> {
  // Decode before the transaction, because the embedded database has only one session, and a transaction blocks all
  // other work.
  const { batches, info, report } = await readRecording(ctx.queries, job);
  await requireFewChunks(batches, ctx.config.bulkLoadMaxChunks);
  return transact(ctx, "bulk load", async (unit) => {
    const { queries } = unit;
    await lockDevice(queries, device);
    const owner = { deviceId: device, ownerId: manager };
    const { times, filter, result, latestKeptMs } = await storeBatches(unit, owner, batches);
    if (filter.read === 0) throw new AsiError("NO_SAMPLES", "The recording has no rows.", { report });
    await announceFound(unit, device, filter.keptTimes, result);
    await unit.announce("samplesStored", { ...owner, changed: result.changed });
    const { read, refused, unowned } = filter;
    if (refused > 0) {
      const counts = { read, refused, unowned };
      await unit.announce("samplesRefused", { deviceId: device, managerId: manager, counts });
    }
    const details = detailsOf(device, times, filter, result, report);
    await recordFirmware(unit, device, info, latestKeptMs);
    await addToPayload(queries, job, { details, ...spanOf(filter.keptTimes) });
    return details;
  });
}

/**
 * Announces samples that an earlier run stored without announcing them: a sample server commits before the coordinator, which may
 * then fail.
 */
async function announceFound(
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
  /** The batches take at most as much memory as the recording itself. */
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

/**
 * Sorts only if necessary, because sorting 300,000 timestamps blocks the event loop for 20 ms, and most recordings are
 * in order.
 */
function ascending(times: readonly number[]): Float64Array {
  const isInOrder = times.every((ms, i) => i === 0 || ms >= (times[i - 1] ?? ms));
  const all = Float64Array.from(times);
  return isInOrder ? all : all.sort();
}

/** Returns the first and the last time in ms; an empty object if there are no times. */
function spanOf(times: readonly number[]): { from: number; to: number } | Record<string, never> {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const ms of times) {
    from = Math.min(from, ms);
    to = Math.max(to, ms);
  }
  return from > to ? {} : { from, to };
}

const iso = (ms: number) => new Date(ms).toISOString();
const toRange = ({ start, stop, size }: Range) => ({ start: iso(start), stop: iso(stop), size });
const toInterval = ({ startMs, stopMs }: Interval) => ({ start: iso(startMs), stop: iso(stopMs) });
