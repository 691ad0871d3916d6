import type { Report } from "./types.js";

/**
 * Every way in which the library refuses an input. The codes are part of the interface: they do not change
 * between minor versions, and the command and the service show them unchanged.
 *
 * - `NOT_A_RECORDING`: the first valid frame is no recording header, or there is no valid frame at all
 * - `UNSUPPORTED_VERSION`: the header names a format version other than 1
 * - `BAD_HEADER`: header of a wrong length, or a serial number that cannot be a file name
 * - `MIXED_DEVICES`: a later header names another serial number
 * - `NO_SAMPLES`: the recording has no row to write
 * - `DAMAGED`: with `strict`, the first frame that began and did not hold
 * - `BAD_ROW`: a row given to `encode` that a recording cannot hold
 * - `BAD_CSV`: a CSV given to `encodeCsv` that cannot be read
 * - `BAD_TRACK`: a FIT, GPX or TCX file given to `decodeTrack` that cannot be read
 * - `FORMAT_LIMIT`: rows that the format to be written cannot hold
 * - `BAD_ARGUMENT`: samples, instants or a path that are none
 * - `BAD_OPTION`: an option out of its range, or options that contradict each other
 * - `BAD_SOURCE`: a source that gives no bytes; for `encode`, rows that cannot be iterated
 * - `ALREADY_READ`: a recording that was iterated once is iterated again; a reader that has ended is given more
 * - `NOT_READ`: a file name, report or header is awaited while nobody reads the recording; the result of a reader before its end
 * - `FILE_EXISTS`: the output file is there already and overwriting was not allowed
 * - `ABORTED`: the caller's `AbortSignal` fired; the error's `name` is `AbortError`, its `cause` the signal's reason
 */
export type AsiErrorCode =
  | "NOT_A_RECORDING"
  | "UNSUPPORTED_VERSION"
  | "BAD_HEADER"
  | "MIXED_DEVICES"
  | "NO_SAMPLES"
  | "DAMAGED"
  | "BAD_ROW"
  | "BAD_CSV"
  | "BAD_TRACK"
  | "FORMAT_LIMIT"
  | "BAD_ARGUMENT"
  | "BAD_OPTION"
  | "BAD_SOURCE"
  | "ALREADY_READ"
  | "NOT_READ"
  | "FILE_EXISTS"
  | "ABORTED";

export interface AsiErrorDetails {
  /** Offset of the byte at which the trouble begins, counted from the start of the input. */
  byteOffset?: number | undefined;
  /** 1-based line of a text input. */
  line?: number | undefined;
  /** The account of the bytes up to the end, where the whole input was read before the error. */
  report?: Report | undefined;
  cause?: unknown;
}

/** The one error class of the library. `message` says what is wrong and what to do about it. */
export class AsiError extends Error {
  /** `AsiError`, and `AbortError` for `ABORTED`: that is how callers tell an abort from other errors. */
  override readonly name: "AsiError" | "AbortError";
  readonly code: AsiErrorCode;
  readonly byteOffset: number | undefined;
  readonly line: number | undefined;
  readonly report: Report | undefined;

  constructor(code: AsiErrorCode, message: string, details: AsiErrorDetails = {}) {
    const { cause, byteOffset, line, report } = details ?? {};
    super(typeof message === "string" ? message : "", cause === undefined ? undefined : { cause });
    this.name = code === "ABORTED" ? "AbortError" : "AsiError";
    this.code = code;
    this.byteOffset = byteOffset;
    this.line = line;
    this.report = report;
  }
}

/** What is thrown when the caller's `AbortSignal` has fired. */
export function abortError(signal: AbortSignal | undefined): AsiError {
  return new AsiError("ABORTED", "The work was stopped by the caller.", { cause: signal?.reason });
}
