import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { AsiError, decode, findRanges, type RecordingInfo, type Report } from "asi-convert";
import type { Queries } from "../../store/connection/database.js";
import { bodyOf, decompressBody } from "../../store/queue/job-body.js";
import { addToPayload } from "../../store/queue/job-lease.js";
import type { Job } from "../../store/queue/job-queue.js";
import {
  chunkTables,
  concatColumns,
  RewriteLimit,
  type SampleColumns,
  type StoreResult,
  sqlClientOf,
} from "../../store/samples/index.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Owner } from "../sample-ownership/owners.js";
import type { BulkLoadPayload } from "./accept.js";
import { ascending, detailsOf, type Loaded } from "./details.js";
import { recordFirmware } from "./firmware.js";
import { ownedParts, requireFits } from "./owned-parts.js";
import { requireFewChunks } from "./refusal.js";
import { lockDevice, spanOf, storeBatches } from "./store-batches.js";

/** Thrown when the recording of the job is missing. */
export class NoRecording extends Error {
  override readonly name = "NoRecording";
}

/**
 * Stores the samples of a recording in parts, each with its effects in one transaction, and records the outcome with the last part.
 * The job may start several times but completes once; a later run finds the parts that an earlier one has stored.
 * @returns the job's details
 * @throws NoRecording
 * @throws AsiError when the recording is not completely readable or has no rows, RecordingRefused, QuotaExceeded; then nothing
 * is stored, unless other loads have used up a limit in the meantime
 */
export async function loadRecording(
  ctx: Context,
  job: Pick<Job, "id" | "leaseToken">,
  { device: deviceId, manager: ownerId, stored = 0 }: BulkLoadPayload,
): Promise<Record<string, unknown>> {
  const { batches, info, report } = await readRecording(ctx.queries, job);
  const read = batches.reduce((sum, { length }) => sum + length, 0);
  if (read === 0) throw new AsiError("NO_SAMPLES", "The recording has no rows.", { report });
  await requireFewChunks(batches, ctx.config.bulkLoadMaxChunks);
  const { startMs: from, stopMs: to } = spanOf(batches);
  const owner = { deviceId, ownerId };
  const divided = await ownedParts(ctx, owner, batches, stored > 0 ? null : new RewriteLimit());
  await requireFits(ctx, owner, divided);
  const { refused, unowned } = divided.leftOut;
  let loaded: Loaded = { read, stored, refused, unowned, times: [] };
  for (const part of divided.parts.slice(0, -1)) {
    loaded = await transact(ctx, "bulk load", async (unit) => {
      const after = await storePart(unit, owner, part(), loaded);
      // With these times, a deletion of samples between two parts removes the hash of the recording.
      await addToPayload(unit.queries, job, { stored: after.stored, from, to });
      return after;
    });
    await nextEventLoopTurn();
  }
  return transact(ctx, "bulk load", async (unit) => {
    const all = await storePart(unit, owner, divided.parts.at(-1)?.() ?? [], loaded);
    if (all.refused > 0) {
      const counts = { read, refused: all.refused, unowned: all.unowned };
      await unit.announce("samplesRefused", { deviceId, managerId: ownerId, counts });
    }
    const outcome = await detailsOf(unit, owner, all, report);
    await recordFirmware(unit, deviceId, info, outcome.to ?? null);
    await addToPayload(unit.queries, job, outcome);
    return outcome.details;
  });
}

/** @returns what is loaded with this part */
async function storePart(
  unit: UnitOfWork,
  owner: Owner,
  batches: readonly SampleColumns[],
  before: Loaded,
): Promise<Loaded> {
  await lockDevice(unit.queries, owner.deviceId);
  const { filter, result } = await storeBatches(unit, owner, batches);
  const times = ascending(filter.keptTimes);
  await announceFound(unit, owner.deviceId, times, result);
  await unit.announce("samplesStored", { ...owner, changed: result.changed });
  return {
    read: before.read,
    stored: before.stored + result.stored,
    refused: before.refused + filter.refused,
    unowned: before.unowned + filter.unowned,
    times: [...before.times, times],
  };
}

/**
 * Announces samples that an earlier run stored without announcing them: a sample server commits before the coordinator, which may
 * then fail.
 */
async function announceFound(
  unit: UnitOfWork,
  deviceId: number,
  times: Float64Array,
  { known, changed }: StoreResult,
): Promise<void> {
  if (known === 0 || changed.length > 0) return;
  const [table] = await chunkTables(sqlClientOf(unit.queries));
  if (table === "sample_chunks") return;
  const found = findRanges(times).map(({ start, stop }) => ({ startMs: start, stopMs: stop }));
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
