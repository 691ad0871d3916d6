import { Type } from "@sinclair/typebox";
import { AsiError, decode, type RecordingInfo } from "asi-convert";
import { currentCaller, jobGroupOf } from "../../fairness/callers.js";
import { compressBody, removeUnused, type StoredBody, writeBody } from "../../store/queue/job-body.js";
import type { Job } from "../../store/queue/job-queue.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { OwnedDevice } from "../ownerships/rules.js";
import { toJob } from "./job.js";
import { countWaiting } from "./waiting-bytes.js";

export const AsiBase64 = Type.Object({
  asi_b64: Type.String({
    minLength: 1,
    contentEncoding: "base64",
    description:
      "The recording, which may be compressed with gzip, in base64 (RFC 4648 section 4), padding optional",
    examples: ["tWIKBGQA"],
  }),
});

/** The payload of a bulk load job, in addition to the recording. */
export interface BulkLoadPayload {
  device: number;
  manager: number;
  /** SHA-256 of the recording in hexadecimal digits. Used to find the job of a repeated upload. */
  sha256?: string;
  /** Number of samples that were stored by the parts of the load so far. */
  stored?: number;
}

/** Factor that leaves space in the body for everything except base64: the name of the member, and line breaks as in MIME. */
const BODY_OVERHEAD = 1.05;

/** Returns the maximum size of a body that contains a recording of this size, in bytes. */
export const bulkLoadBodyBytes = (maxBytes: number) => Math.ceil((maxBytes / 3) * 4 * BODY_OVERHEAD) + 4096;

/**
 * Accepts a recording for storage. Checks the header and queues a job for the rest.
 * @throws ServiceError on the field `asi_b64`: `wrong_device`, or the library's code for a damaged header; `throttled`
 */
export async function acceptBulkLoad(
  ctx: Context,
  { device, ownership }: OwnedDevice,
  recording: Uint8Array,
): Promise<ReturnType<typeof toJob>> {
  const { serial } = await headerOf(recording).catch((error: unknown) => {
    throw error instanceof AsiError ? errors.field("asi_b64", error.message, error.code) : error;
  });
  if (serial !== device.serialNumber) {
    throw errors.field(
      "asi_b64",
      `The recording is from device ${serial}, not from this device.`,
      "wrong_device",
    );
  }
  const compressed = await compressBody(recording);
  const waiting = countWaiting(ctx, ownership.managerId, jobGroupOf(currentCaller(), ctx.serverKey));
  try {
    await waiting.add(compressed.length);
    return await addJob(ctx, device.id, recording.length, compressed);
  } finally {
    waiting.release();
  }
}

/** Writes the recording before the job, which makes the recording visible. */
async function addJob(
  ctx: Context,
  deviceId: number,
  bytes: number,
  compressed: Uint8Array,
): Promise<ReturnType<typeof toJob>> {
  const body = await writeBody(ctx.queries, ctx.clock.now(), [compressed], ctx.signal);
  try {
    return await change(ctx, "bulkLoad", { device: deviceId }, async (unit, owned) =>
      toJob(await enqueueLoad(unit, owned, { body, bytes })),
    );
  } catch (error) {
    await removeUnused(ctx.queries, body);
    throw error;
  }
}

/** A recording whose bytes are stored. */
export interface StoredRecording {
  /** The compressed bytes. */
  body: StoredBody;
  /** Number of bytes of the recording. */
  bytes: number;
  sha256?: string;
}

/** Adds the job that loads a recording into a device of the owner. */
export async function enqueueLoad(
  { announce, enqueue }: UnitOfWork,
  { device, ownership }: OwnedDevice,
  { body, bytes, sha256 }: StoredRecording,
): Promise<Job> {
  const loaded: BulkLoadPayload = { device: device.id, manager: ownership.managerId };
  const payload = sha256 === undefined ? { ...loaded } : { ...loaded, sha256 };
  const accountId = ownership.managerId;
  const job = await enqueue({ kind: "bulk-load", payload, body, accountId });
  if (job === undefined) throw new Error("The job was not added");
  await announce("recordingAccepted", {
    jobId: job.id,
    details: { jobId: job.jobId, ...loaded, bytes },
  });
  return job;
}

/**
 * Reads a recording up to its header.
 * @param recording the recording, or its beginning
 * @throws AsiError
 */
export async function headerOf(recording: Uint8Array): Promise<RecordingInfo> {
  const decoding = decode(recording);
  const batches = decoding[Symbol.asyncIterator]();
  await batches.next();
  await batches.return?.();
  return decoding.info;
}
