import { requireBooleans, requireObject, requirePath, requirePaths } from "../arguments.js";
import { inspect } from "../inspect.js";
import type { Inspection } from "../read-result.js";
import { type RepairOptions, repair } from "../repair.js";
import type { DecodeOptions, RecordingInfo, Report } from "../types.js";
import { refuseInput, type WrittenFile } from "./output-file.js";
import { openFile, type ReadFileOptions } from "./read-file.js";
import { writeStream } from "./write-stream.js";

/**
 * Describes the content of a recording on disk.
 *
 * @throws AsiError like `inspect`; system errors
 */
export async function inspectFile(
  path: string,
  options: DecodeOptions & ReadFileOptions = {},
): Promise<Inspection> {
  requirePath("BAD_ARGUMENT", "path", path);
  requireObject("options", options);
  return inspect(openFile(path, options), options);
}

export interface RepairFileOptions extends RepairOptions, ReadFileOptions {
  /** Path of the clean recording; default `NAME.repaired.asi` beside the input. */
  output?: string | undefined;
  /** Overwrite an existing file; default false. */
  force?: boolean | undefined;
}

export interface FileRepair {
  file: WrittenFile;
  info: RecordingInfo;
  /** The report on the damaged input. */
  report: Report;
}

/**
 * Writes the valid frames of a recording on disk to a clean recording, which is never left incomplete and never replaces the
 * original.
 *
 * @throws AsiError like `repair`, and `FILE_EXISTS`; system errors
 */
export async function repairFile(path: string, options: RepairFileOptions = {}): Promise<FileRepair> {
  requirePath("BAD_ARGUMENT", "path", path);
  requireObject("options", options);
  requirePaths(options, ["output"]);
  requireBooleans(options, ["force"]);
  const { output = repairedName(path), force, signal } = options;
  refuseInput(path, [output]);
  const { recording, report, info } = repair(openFile(path, options), options);
  const file = await writeStream(recording, output, { force, signal });
  return { file, info: await info, report: await report };
}

/** `NAME.repaired.asi` for `NAME.asi`. */
export function repairedName(path: string): string {
  return `${path.replace(/\.asi(?:\.gz)?$/i, "")}.repaired.asi`;
}
