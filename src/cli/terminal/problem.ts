import { basename, dirname } from "node:path";
import { AsiError } from "../../errors.js";
import type { WrittenThrough } from "../../files/descriptor-output.js";
import { isTemporaryName } from "../../files/temporary-names.js";
import type { Report } from "../../types.js";

/** An error in the output of the command, also with `--json`. */
export interface Problem {
  /**
   * The code of an `AsiError` or of a system error (`ENOENT`). The command has further codes: `NO_INPUT` if an argument matches nothing,
   * `WORKER_FAILED` if a worker thread crashed, those of `asi pull` and `asi stream` (`cli/service/`), and `UNEXPECTED` for bugs.
   */
  code: string;
  message: string;
  byteOffset?: number;
  line?: number;
}

/** A problem, and the report if there is one. */
export interface Failure {
  error: Problem;
  report?: Report;
}

/** A failure that has already been described, by the command itself or by a worker thread. */
export class DescribedError extends Error {
  override readonly name = "DescribedError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof AsiError) {
    const { code, byteOffset, line, report } = error;
    return {
      error: {
        code,
        message: inTermsOfTheCommand(error.message),
        ...(byteOffset !== undefined && { byteOffset }),
        ...(line !== undefined && { line }),
      },
      ...(report !== undefined && { report }),
    };
  }
  if (error instanceof DescribedError) return error.failure;
  if (isSystemError(error)) return { error: { code: error.code, message: systemMessage(error) } };
  const text = error instanceof Error ? error.message : String(error);
  return {
    error: {
      code: "UNEXPECTED",
      message: `Unexpected error: ${text || "unknown"}. This is a bug in asi; set ASI_DEBUG=1 to see where it occurred.`,
    },
  };
}

// Options of the command that correspond to options in messages of the library.
const FLAGS: Readonly<Record<string, string>> = {
  columns: "--columns",
  decimalMark: "--decimal",
  delimiter: "--delimiter",
  everyMs: "--every",
  fillHrMs: "--fill-hr",
  numbers: "--numbers",
  rrIntervals: "--rr-intervals",
};

function inTermsOfTheCommand(message: string): string {
  return message
    .replace(/^\w+/, (name) => (Object.hasOwn(FLAGS, name) ? (FLAGS[name] ?? name) : name))
    .replace("--decimal and delimiter", "--decimal and --delimiter")
    .replace(
      'The option "from" is later than "to"; give the earlier instant as "from"',
      "--from is later than --to",
    )
    .replace("raise the option maxFiles", "add --force")
    .replace("the option outDir", "--out-dir")
    .replace("params.speed_ranges", "--zones")
    .replace("params.max_hr", "--max-hr")
    .replace(/\b(?:[Tt]he )?option (serial|strict|force|format|time|name|split)\b/g, "--$1");
}

interface SystemError extends Error, Partial<WrittenThrough> {
  code: string;
  syscall?: string;
  path?: string;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/** Returns the `code` of a system error; null for other errors. */
export function systemCode(error: unknown): string | null {
  return isSystemError(error) ? error.code : null;
}

const SYSTEM_MESSAGES: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "is a folder, not a file",
  EEXIST: "is a file, not a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be too large for the file system",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "the symbolic links form a loop",
  EBUSY: "is in use",
  EIO: "the device reports a read or write error",
  ENXIO: "is not a file that can be opened",
};

const NO_ROOM = ["ENOSPC", "EDQUOT", "EFBIG"];

// Describes the state of the written bytes after a full disk.
function whatIsKept({ code, bytesWritten }: SystemError): string {
  if (!NO_ROOM.includes(code)) return "";
  // the file had a temporary name and was deleted
  if (bytesWritten === undefined) return "; the incomplete output was removed";
  return bytesWritten === 0
    ? "; nothing was written"
    : `; the first ${bytesWritten} bytes were written and remain`;
}

function systemMessage(error: SystemError): string {
  const { code, message, path, syscall } = error;
  const said = `${SYSTEM_MESSAGES[code] ?? `${message} (${syscall})`}${whatIsKept(error)}`;
  if (path === undefined) return capitalized(`${said}.`);
  // the user knows the folder, but not the temporary file
  return isTemporaryName(basename(path))
    ? `Cannot write into ${dirname(path)}: ${said}.`
    : `${path}: ${said}.`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats the place of a problem, which follows its message: `(CODE at byte 12)`. */
export function placeOf({ code, byteOffset, line }: Problem): string {
  const place =
    byteOffset !== undefined ? ` at byte ${byteOffset}` : line !== undefined ? ` at line ${line}` : "";
  return `(${code}${place})`;
}
