import { inspect } from "../api/inspect.js";
import { REPAIR_OPTIONS, type RepairOptions, repair } from "../api/repair.js";
import { optionNames, requireBooleans, requireOptions, requirePath, requirePaths } from "../arguments.js";
import { DECODE_OPTIONS } from "../reading/decode-options.js";
import type { Inspection } from "../reading/read-result.js";
import type { DecodeOptions, RecordingInfo, Report } from "../types.js";
import { refuseInput, type WrittenFile } from "./output-file.js";
import { openFile, READ_FILE_OPTIONS, type ReadFileOptions } from "./read-file.js";
import { writeStream } from "./write-stream.js";

const INSPECT_FILE_OPTIONS = [...DECODE_OPTIONS, ...READ_FILE_OPTIONS];

/**
 * Describes a recording on disk.
 *
 * @throws AsiError like `inspect`; system errors
 */
export async function inspectFile(
  path: string,
  options: DecodeOptions & ReadFileOptions = {},
): Promise<Inspection> {
  requirePath("BAD_ARGUMENT", "path", path);
  requireOptions(options, INSPECT_FILE_OPTIONS);
  const { onProgress, ...decodeOptions } = options;
  return inspect(openFile(path, { onProgress }), decodeOptions);
}

export interface RepairFileOptions extends RepairOptions, ReadFileOptions {
  /** Path of the repaired recording; default `NAME.repaired.asi` in the folder of the input. */
  output?: string | undefined;
  /** Overwrite an existing file; default false. */
  force?: boolean | undefined;
}

const REPAIR_FILE_OPTIONS = [
  ...REPAIR_OPTIONS,
  ...READ_FILE_OPTIONS,
  ...optionNames<Pick<RepairFileOptions, "output" | "force">>({ output: true, force: true }),
];

export interface FileRepair {
  file: WrittenFile;
  info: RecordingInfo;
  /** The report on the damaged input. */
  report: Report;
}

/**
 * Writes the valid frames of a recording on disk to a new recording, which is never left incomplete and never replaces the
 * original.
 *
 * @throws AsiError like `repair`, and `FILE_EXISTS`; system errors
 */
export async function repairFile(path: string, options: RepairFileOptions = {}): Promise<FileRepair> {
  requirePath("BAD_ARGUMENT", "path", path);
  requireOptions(options, REPAIR_FILE_OPTIONS);
  requirePaths(options, ["output"]);
  requireBooleans(options, ["force"]);
  const { output = repairedName(path), force, onProgress, ...repairOptions } = options;
  refuseInput(path, [output]);
  const { recording, report, info } = repair(openFile(path, { onProgress }), repairOptions);
  const file = await writeStream(recording, output, { force, signal: options.signal });
  return { file, info: await info, report: await report };
}

/** Returns the name of the repaired recording: `NAME.repaired.asi` for `NAME.asi`. */
export function repairedName(path: string): string {
  return `${path.replace(/\.asi(?:\.gz)?$/i, "")}.repaired.asi`;
}
