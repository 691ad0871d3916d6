import type { Report } from "./types.js";

/**
 * The error codes of the library. They are part of the interface: they do not change between minor versions, and the command and
 * the service show them unchanged.
 *
 * - `NOT_A_RECORDING`: the first valid frame is not a recording header, or there is no valid frame
 * - `UNSUPPORTED_VERSION`: the header names a format version other than 1
 * - `BAD_HEADER`: the header has a wrong length, or a serial number that cannot be part of a file name
 * - `MIXED_DEVICES`: a later header has another serial number
 * - `NO_SAMPLES`: the recording has no row to write
 * - `DAMAGED`: the recording has an invalid frame, and `strict` is set
 * - `BAD_ROW`: a row for `encode` that a recording cannot represent
 * - `BAD_CSV`: a CSV for `encodeCsv` that cannot be read
 * - `BAD_TRACK`: a FIT, GPX or TCX file for `decodeTrack` that cannot be read
 * - `BAD_GZIP`: a compressed file that is damaged or cut off
 * - `FORMAT_LIMIT`: rows that the output format cannot represent
 * - `BAD_ARGUMENT`: invalid samples, times or paths
 * - `BAD_OPTION`: an invalid option, or options that contradict each other
 * - `BAD_SOURCE`: a source that does not provide bytes; for `encode`, rows that are not iterable
 * - `ALREADY_READ`: a second iteration over a recording, or more input for a reader that has ended
 * - `NOT_READ`: a file name, report or header is awaited while nothing reads the recording, or the result of a reader is
 * requested before its end
 * - `FILE_EXISTS`: the output file already exists and overwriting is not allowed
 * - `TOO_MANY_FILES`: `split` would write more files than `maxFiles`
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
  | "BAD_GZIP"
  | "FORMAT_LIMIT"
  | "BAD_ARGUMENT"
  | "BAD_OPTION"
  | "BAD_SOURCE"
  | "ALREADY_READ"
  | "NOT_READ"
  | "FILE_EXISTS"
  | "TOO_MANY_FILES"
  | "ABORTED";

export interface AsiErrorDetails {
  /** Byte offset of the problem from the start of the input. */
  byteOffset?: number | undefined;
  /** 1-based line of a text input. */
  line?: number | undefined;
  /** The report, if the whole input was read before the error occurred. */
  report?: Report | undefined;
  cause?: unknown;
}

/** The error class of the library. `message` describes the error and the remedy. */
export class AsiError extends Error {
  /** `AsiError`, or `AbortError` for `ABORTED`, by which callers recognize an abort. */
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

/** Returns the error to throw when the caller's `AbortSignal` has fired. */
export function abortError(signal: AbortSignal | undefined): AsiError {
  return new AsiError("ABORTED", "The caller aborted the operation.", { cause: signal?.reason });
}
