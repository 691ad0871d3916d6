import { ApiError, type Job } from "asi-client";
import { AwayError } from "../connection.js";
import { wordsOf } from "../parts/problem.js";
import { tooLarge } from "./too-large.js";

/** The reason why the service did not store a file, and the remedy. */
export interface Refusal {
  reason: string;
  /** Whether a second attempt with the same file may succeed. */
  isTemporary: boolean;
  /** Serial number of the recording's device, if the user does not own it. */
  unknownSerial: string | null;
}

/** Codes of failures that the file did not cause. */
const TEMPORARY = new Set<unknown>(["failed", "worker_lost", "quota_exceeded", undefined]);

/** Thrown when the service has not stored a recording. */
export class JobRefusedError extends Error {
  override readonly name = "JobRefusedError";
  readonly isTemporary: boolean;
  constructor({ details }: Job) {
    const { code, message } = details as { code?: unknown; message?: unknown };
    super(typeof message === "string" ? message : "The service has stopped storing it. Try again.");
    this.isTemporary = TEMPORARY.has(code);
  }
}

export function refusalOf(error: unknown, file: File, limitBytes: number | null): Refusal {
  const reason = wordsOf(error);
  const refusal = { reason, isTemporary: true, unknownSerial: null };
  if (error instanceof JobRefusedError) return { ...refusal, isTemporary: error.isTemporary };
  if (error instanceof AwayError) {
    return {
      ...refusal,
      reason: "The service stopped responding. The file is still chosen. Try again when the service is back.",
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
  const isTemporary = error.status >= 500 || error.status === 429;
  if (error.code !== "unknown_device") return { ...refusal, isTemporary };
  const [, unknownSerial = null] = /serial number (.+)\.$/.exec(error.message) ?? [];
  // the user can send the file again after claiming the device
  return { reason: `You own no device ${unknownSerial}.`, isTemporary: true, unknownSerial };
}
