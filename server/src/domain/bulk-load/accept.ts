import { Type } from "@sinclair/typebox";
import { AsiError, decode, type RecordingInfo } from "asi-convert";
import { currentCaller, jobGroupOf } from "../../fairness/callers.js";
import { compressBody, removeUnused, writeBody } from "../../store/queue/job-body.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { OwnedDevice } from "../ownerships/rules.js";
import { toJob } from "./job.js";
import { reserveWaiting } from "./waiting-bytes.js";

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
}

/** Space in the body for everything except base64: the name of the member, and line breaks as in MIME. */
const BODY_OVERHEAD = 1.05;

/** Maximum size of a body with a recording of this size. */
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
  const { serial } = await headerOf(recording);
  if (serial !== device.serialNumber) {
    throw errors.field(
      "asi_b64",
      `The recording is of device ${serial}, not of this device.`,
      "wrong_device",
    );
  }
  const compressed = await compressBody(recording);
  const giveBack = await reserveWaiting(
    ctx,
    ownership.managerId,
    jobGroupOf(currentCaller(), ctx.serverKey),
    compressed.length,
  );
  try {
    return await addJob(ctx, device.id, recording.length, compressed);
  } finally {
    giveBack();
  }
}

/** Writes the bytes before the job, which makes them visible. */
async function addJob(
  ctx: Context,
  deviceId: number,
  bytes: number,
  compressed: Uint8Array,
): Promise<ReturnType<typeof toJob>> {
  const body = await writeBody(ctx.queries, ctx.clock.now(), compressed, ctx.signal);
  try {
    return await change(ctx, "bulkLoad", { device: deviceId }, async ({ announce, enqueue }, owned) => {
      const payload: BulkLoadPayload = { device: owned.device.id, manager: owned.ownership.managerId };
      const job = await enqueue({
        kind: "bulk-load",
        payload: { ...payload },
        body,
        accountId: owned.ownership.managerId,
      });
      if (job === undefined) throw new Error("The job was not added");
      await announce("recordingAccepted", {
        jobId: job.id,
        details: { jobId: job.jobId, ...payload, bytes },
      });
      return toJob(job);
    });
  } catch (error) {
    await removeUnused(ctx.queries, body);
    throw error;
  }
}

/** Reads the recording up to its header. */
async function headerOf(recording: Uint8Array): Promise<RecordingInfo> {
  const decoding = decode(recording);
  const batches = decoding[Symbol.asyncIterator]();
  try {
    await batches.next();
    await batches.return?.();
    return await decoding.info;
  } catch (error) {
    if (error instanceof AsiError) throw errors.field("asi_b64", error.message, error.code);
    throw error;
  }
}
