import { mkdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CONVERT_OPTIONS, type ConvertOptions, fileNameIn, fileReader, formatOf } from "../api/convert.js";
import {
  optionNames,
  requireBooleans,
  requireOptions,
  requirePath,
  requirePaths,
  shown,
} from "../arguments.js";
import type { Span } from "../engine/engine.js";
import { AsiError } from "../errors.js";
import type { Format } from "../formats/format.js";
import { type Inspection, inspectionOf, type ReadResult } from "../reading/read-result.js";
import type { Source } from "../types.js";
import { DescriptorOutput } from "./descriptor-output.js";
import { isPipeOrDevice, OutputFile, refuseExisting, refuseInput, type WrittenFile } from "./output-file.js";
import { withFormatOf } from "./output-format.js";
import { inputNameOf, NAME_OPTIONS, type NameOptions, OutputNames } from "./output-names.js";
import { commitFiles, type PreparedFiles } from "./prepared-files.js";
import { openFile, READ_FILE_OPTIONS, type ReadFileOptions } from "./read-file.js";

export interface WriteOptions extends NameOptions {
  /** Folder for the file, created if necessary. Default: the folder of the input, or the current folder for pipes. */
  outDir?: string | undefined;
  /**
   * Path of the file, which may be a pipe or device. Default: its standard name in `outDir`. Cannot be combined with `split`.
   * Without `format`, the extension selects the format: `.tsv` means CSV with tabs, and a name without an extension means CSV.
   */
  output?: string | undefined;
  /** Overwrite existing files; default false. */
  force?: boolean | undefined;
  /** Write a separate file for each range; default false. */
  split?: boolean | undefined;
  /**
   * Maximum number of files with `split`; default unlimited. For a recording with more ranges, the call fails with
   * `TOO_MANY_FILES` and writes no file.
   */
  maxFiles?: number | undefined;
}

export interface ConvertFileOptions extends ConvertOptions, WriteOptions, ReadFileOptions {}

const CONVERT_TO_FILE_OPTIONS = [
  ...CONVERT_OPTIONS,
  ...NAME_OPTIONS,
  ...optionNames<Omit<WriteOptions, keyof NameOptions>>({
    outDir: true,
    output: true,
    force: true,
    split: true,
    maxFiles: true,
  }),
];

const CONVERT_FILE_OPTIONS = [...CONVERT_TO_FILE_OPTIONS, ...READ_FILE_OPTIONS];

export interface FileConversion extends Inspection {
  /** The files. There can be more than one only with `split`. */
  files: WrittenFile[];
}

/**
 * Converts a recording on disk to a file in the same folder, `{serial}_{start}_{end}` with the extension of the format. The file
 * is never left incomplete. It replaces an existing file only with `force`, and never the recording itself.
 *
 * @throws AsiError like `convert`, `FILE_EXISTS`, and `TOO_MANY_FILES`; the system's errors (`ENOENT`, `EACCES`, `ENOSPC`, ...)
 */
export async function convertFile(path: string, options: ConvertFileOptions = {}): Promise<FileConversion> {
  return finish(await prepareFile(path, options), options);
}

/**
 * Works like `convertFile`, but for any source. `outDir` defaults to the current folder, and `{input}` in `name` is `recording`.
 */
export async function convertToFile(
  source: Source,
  options: ConvertOptions & WriteOptions = {},
): Promise<FileConversion> {
  return finish(await prepareSource(source, options), options);
}

/** A conversion whose files have temporary names. Call `commitFiles` or `discardFiles` afterwards. */
export interface PreparedConversion extends PreparedFiles {
  conversion: FileConversion;
}

async function finish(
  prepared: PreparedConversion,
  options: WriteOptions & ConvertOptions,
): Promise<FileConversion> {
  await commitFiles(prepared, options);
  return prepared.conversion;
}

/** Works like `convertFile`, but does not rename the files. */
export async function prepareFile(path: string, options: ConvertFileOptions): Promise<PreparedConversion> {
  requirePath("BAD_ARGUMENT", "path", path);
  checkWriteOptions(options, CONVERT_FILE_OPTIONS);
  const isRegular = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const folder = isRegular ? dirname(path) : ".";
  const input = inputNameOf(basename(path));
  return prepare({ folder, input }, openFile(path, { onProgress: options.onProgress }), options, (paths) =>
    refuseInput(path, paths),
  );
}

/** Works like `convertToFile`, but does not rename the files. `input` is the name of the input without its extension. */
export async function prepareSource(
  source: Source,
  options: ConvertOptions & WriteOptions,
  input = "recording",
): Promise<PreparedConversion> {
  checkWriteOptions(options, CONVERT_TO_FILE_OPTIONS);
  return prepare({ folder: ".", input }, source, options, () => {});
}

function checkWriteOptions(options: WriteOptions, known: readonly string[]): void {
  requireOptions(options, known);
  requirePaths(options, ["outDir", "output"]);
  requireBooleans(options, ["force", "split"]);
  new OutputNames(options);
  const { maxFiles = Number.POSITIVE_INFINITY } = options;
  if (typeof maxFiles !== "number" || !(maxFiles >= 1)) {
    throw new AsiError(
      "BAD_OPTION",
      `maxFiles is ${shown(maxFiles)}; it must be a number of files, 1 or more.`,
    );
  }
  if (options.name !== undefined && options.output !== undefined) {
    throw new AsiError("BAD_OPTION", "output and name both specify the file name; omit one of them.");
  }
}

/** The default folder for the files, and the value of `{input}` in their names. */
interface Place {
  folder: string;
  input: string;
}

async function prepare(
  place: Place,
  source: Source,
  given: ConvertOptions & WriteOptions,
  check: (paths: readonly string[]) => void,
): Promise<PreparedConversion> {
  const { outDir, output } = given;
  const options = output === undefined ? given : withFormatOf(output, given);
  if (output !== undefined && isPipeOrDevice(output)) return convertToDevice(source, output, options);
  return convertIntoFolder(source, { ...place, folder: outDir ?? place.folder }, options, check);
}

/** Writes the output directly to a file descriptor. Throws the errors of `convert` and `DescriptorOutput`. */
export async function convertToDescriptor(
  source: Source,
  output: DescriptorOutput,
  options: ConvertOptions = {},
): Promise<Inspection> {
  const format = formatOf(options);
  const reader = fileReader(source, options, format, { gives: "views" });
  try {
    for (let lines = await reader.next(); lines !== null; lines = await reader.next()) {
      await output.write(lines);
    }
    const result = await reader.result;
    return { ...inspectionOf(result), fileName: fileNameIn(result, format) };
  } catch (error) {
    await reader.cancel(error);
    throw error;
  }
}

async function convertToDevice(
  source: Source,
  path: string,
  options: ConvertOptions & WriteOptions,
): Promise<PreparedConversion> {
  refuseSplit(options);
  const output = await DescriptorOutput.open(path, options.signal);
  try {
    const inspection = await convertToDescriptor(source, output, options);
    const conversion = { ...inspection, files: [{ path, bytes: output.bytes }] };
    return { conversion, paths: [path], temporaryPaths: [], folder: dirname(path) };
  } finally {
    await output.close();
  }
}

async function convertIntoFolder(
  source: Source,
  { folder: outDir, input }: Place,
  options: ConvertOptions & WriteOptions,
  check: (paths: readonly string[]) => void,
): Promise<PreparedConversion> {
  refuseSplit(options);
  const { output, force = false, split = false, maxFiles = Number.POSITIVE_INFINITY } = options;
  if (output !== undefined && !force) refuseExisting(output);
  const folder = output === undefined ? outDir : dirname(resolve(output));
  const format = formatOf(options);
  const reader = fileReader(source, options, format, { gives: "views", split });
  const parts: OutputFile[] = [];
  const openPart = () => {
    if (parts.length >= maxFiles) throw tooManyFiles(maxFiles);
    parts.at(-1)?.close();
    if (output === undefined && options.outDir !== undefined) mkdirSync(folder, { recursive: true });
    const part = new OutputFile(folder);
    parts.push(part);
    return part;
  };
  try {
    for (let piece = await reader.next(); piece !== null; piece = await reader.next()) {
      const part = reader.beginsFile ? openPart() : parts.at(-1);
      part?.write(piece);
    }
    const result = await reader.result;
    const fileName = fileNameIn(result, format);
    const paths =
      output === undefined
        ? namesOf(result, input, format, options).map((name) => join(outDir, name))
        : [output];
    for (const part of parts) await part.reachDisk();
    check(paths);
    const files = parts.map((part, i) => ({ path: paths[i] ?? "", bytes: part.bytes }));
    return {
      conversion: { ...inspectionOf(result), fileName, files },
      paths,
      temporaryPaths: parts.map((part) => part.temporaryPath),
      folder,
    };
  } catch (error) {
    for (const part of parts) part.discard();
    await reader.cancel(error);
    throw error;
  }
}

function refuseSplit({ split, output, rrIntervals }: ConvertOptions & WriteOptions): void {
  if (split !== true) return;
  if (rrIntervals === true) {
    throw new AsiError(
      "BAD_OPTION",
      "rrIntervals cannot be combined with the option split; write each range with from and to.",
    );
  }
  if (output === undefined) return;
  throw new AsiError(
    "BAD_OPTION",
    "split writes several files with standard names, but output names one file; omit one of them.",
  );
}

function namesOf(
  { info, spans }: ReadResult,
  input: string,
  { extension }: Format,
  options: WriteOptions,
): string[] {
  const { serial } = info;
  const files = options.split === true ? spans : [wholeOf(spans)];
  return new OutputNames(options).of(
    files.map(({ start, end }) => ({ serial, start, end })),
    input,
    extension,
  );
}

function wholeOf(spans: readonly Span[]): Span {
  return spans.reduce((whole, { start, end }) => ({
    start: Math.min(whole.start, start),
    end: Math.max(whole.end, end),
  }));
}

function tooManyFiles(maxFiles: number): AsiError {
  return new AsiError(
    "TOO_MANY_FILES",
    `The recording has more than ${maxFiles} ranges, and the option split would write a file for each; omit it, or raise the option maxFiles.`,
  );
}
