import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { currentCaller, jobGroupOf } from "../../fairness/callers.js";
import { compressArriving, removeUnused, writeBody } from "../../store/queue/job-body.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { currentOwner, findOwnedDevice, type OwnedDevice } from "../ownerships/rules.js";
import { enqueueLoad, headerOf, type StoredRecording } from "./accept.js";
import { JobResource, toJob } from "./job.js";
import { findRepeated } from "./repeated.js";
import { countWaiting, type WaitingBytes } from "./waiting-bytes.js";

/** An uploaded recording that a job stores. */
export const AcceptedRecording = {
  device: Type.Integer({ description: "The id of the device in the header of the recording", examples: [7] }),
  serial_number: Type.String({ examples: ["ROVER-1"] }),
  job: JobResource,
  repeated: Type.Boolean({
    description:
      "Whether the same recording was uploaded before. The job is then the earlier one, which waits, runs, or has stored all samples, if none has been deleted since",
    examples: [false],
  }),
};

/** Number of bytes in which the header of a recording is searched. */
const HEAD_BYTES = 64 * 1024;

/**
 * Accepts a recording of any of the caller's devices as it arrives. Checks the header, and queues a job for the rest. Uploads of
 * the same bytes for the same device count as one load as long as its job is known.
 * @param recording ends where the recording ends; not read to the end when the recording is refused
 * @throws AsiError for a damaged header; ServiceError `unknown_device`, `throttled`; the errors of `recording`
 */
export async function acceptArriving(ctx: Context, recording: AsyncIterable<Uint8Array>) {
  const chunks = recording[Symbol.asyncIterator]();
  try {
    const head = await headOf(chunks);
    const { serial } = await headerOf(head);
    const owned = await findOwnedDevice(ctx, serial);
    if (owned === undefined) {
      throw errors.file("unknown_device", `You own no device with the serial number ${serial}.`);
    }
    const group = jobGroupOf(currentCaller(), ctx.serverKey);
    const waiting = countWaiting(ctx, owned.ownership.managerId, group);
    try {
      return await loadOnce(ctx, owned, await store(ctx, whole(head, chunks), waiting));
    } finally {
      waiting.release();
    }
  } finally {
    await chunks.return?.();
  }
}

/** Reads the beginning of a recording: at least `HEAD_BYTES`, or all of it. */
async function headOf(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const head: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const { done, value } = await chunks.next();
    if (done) break;
    head.push(value);
    bytes += value.length;
  }
  return Buffer.concat(head, bytes);
}

async function* whole(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (;;) {
    const { done, value } = await rest.next();
    if (done) return;
    yield value;
  }
}

/** Compresses and stores a recording while it arrives. */
async function store(
  ctx: Context,
  recording: AsyncIterable<Uint8Array>,
  waiting: WaitingBytes,
): Promise<Required<StoredRecording>> {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* hashed() {
    for await (const chunk of recording) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  async function* counted() {
    for await (const chunk of compressArriving(hashed())) {
      await waiting.add(chunk.length);
      yield chunk;
    }
  }
  const body = await writeBody(ctx.queries, ctx.clock.now(), counted(), ctx.signal);
  return { body, bytes, sha256: hash.digest("hex") };
}

/** Adds the job of a stored recording, or finds the job of an identical recording and removes the bytes. */
async function loadOnce(ctx: Context, { device }: OwnedDevice, stored: Required<StoredRecording>) {
  let isUsed = false;
  try {
    return await change(ctx, "uploadRecordings", {}, async (unit) => {
      const lookup = { queries: unit.queries, lock: true };
      const owned = await currentOwner.find(ctx, { device: device.id }, lookup);
      const known = await findRepeated(unit.queries, owned, stored.sha256);
      const job = known ?? (await enqueueLoad(unit, owned, stored));
      isUsed = known === undefined;
      return {
        device: device.id,
        serial_number: device.serialNumber,
        job: toJob(job),
        repeated: known !== undefined,
      };
    });
  } catch (error) {
    isUsed = false;
    throw error;
  } finally {
    if (!isUsed) await removeUnused(ctx.queries, stored.body);
  }
}
