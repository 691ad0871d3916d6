import { ApiError, type Job } from "asi-client";
import { fileSize } from "../../view/values.js";
import { AwayError } from "../connection.js";
import { wordsOf } from "../parts/problem.js";

/** Why a file is not stored, and what helps. */
export interface Refusal {
  reason: string;
  /** Whether sending the same file again may help. */
  isTemporary: boolean;
  /** Serial number of the device of the recording, if that is another one. */
  otherSerial: string | null;
}

/** Message for a request that failed although the file is valid. */
const TEMPORARY = new Set<unknown>(["failed", "worker_lost", "quota_exceeded", undefined]);

/** The service has not stored a recording. */
export class JobRefusedError extends Error {
  override readonly name = "JobRefusedError";
  readonly isTemporary: boolean;
  constructor({ details }: Job) {
    const { code, message } = details as { code?: unknown; message?: unknown };
    super(typeof message === "string" ? message : "The service has stopped storing it. Try again.");
    this.isTemporary = TEMPORARY.has(code);
  }
}

/** @param limitBytes null where the service does not say */
export function tooLarge(file: File, limitBytes: number | null): Refusal {
  const limit = limitBytes === null ? "less" : `at most ${fileSize(limitBytes)}`;
  return {
    reason: `The file has ${fileSize(file.size)}, and the service takes ${limit}. Split it: open it in the viewer, choose a part on the plots, and download that part as .asi; then the next part. Or ask the person who runs the service for a higher limit.`,
    isTemporary: false,
    otherSerial: null,
  };
}

export function refusalOf(error: unknown, file: File, limitBytes: number | null): Refusal {
  const reason = wordsOf(error);
  const refusal = { reason, isTemporary: true, otherSerial: null };
  if (error instanceof JobRefusedError) return { ...refusal, isTemporary: error.isTemporary };
  if (error instanceof AwayError) {
    return {
      ...refusal,
      reason: "The service stopped answering. The file is still chosen: try again when the service is back.",
    };
  }
  if (error instanceof DOMException && error.name === "NotReadableError") {
    return {
      ...refusal,
      reason: "The browser can no longer read the file. Choose it again.",
      isTemporary: false,
    };
  }
  if (!(error instanceof ApiError)) return refusal;
  if (error.status === 413) return tooLarge(file, limitBytes);
  const [, otherSerial = null] =
    error.code === "wrong_device" ? (/of device (.+), not/.exec(reason) ?? []) : [];
  return { ...refusal, isTemporary: error.status >= 500 || error.status === 429, otherSerial };
}
