import { requireBooleans, requireObject, requirePath, requirePaths } from "../arguments.js";
import { inspect } from "../inspect.js";
import type { Inspection } from "../read-result.js";
import { type RepairOptions, repair } from "../repair.js";
import type { DecodeOptions, RecordingInfo, Report } from "../types.js";
import { refuseInput, type WrittenFile } from "./output-file.js";
import { openFile, type ReadFileOptions } from "./read-file.js";
import { writeStream } from "./write-stream.js";

/**
 * Says what is in a recording on disk.
 *
 * @throws AsiError as `inspect`; the system's errors
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
  /** Overwrite what is there; default false. */
  force?: boolean | undefined;
}

export interface FileRepair {
  file: WrittenFile;
  info: RecordingInfo;
  /** The account of the damaged input. */
  report: Report;
}

/**
 * Writes the valid frames of a recording on disk to a clean one. It is there whole or not at all,
 * and never replaces the recording itself.
 *
 * @throws AsiError as `repair`, and `FILE_EXISTS`; the system's errors
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
  return `${path.replace(/\.asi$/i, "")}.repaired.asi`;
}
