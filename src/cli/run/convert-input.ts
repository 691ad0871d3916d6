import { basename, dirname } from "node:path";
import type { ConvertOptions } from "../../api/convert.js";
import {
  type PreparedConversion,
  prepareFile,
  prepareSource,
  type WriteOptions,
} from "../../files/convert-file.js";
import { inputNameOf } from "../../files/output-names.js";
import type { ChunkSource } from "../../sources/source.js";
import { readFirstRow } from "../arguments/first-row.js";
import { dependOnDay, resolveBounds, type TimeBounds } from "../arguments/time-bounds.js";
import { type Input, openInput } from "../batch/inputs.js";

/** A task in the form of a message to a worker thread. */
export interface ConvertTask {
  input: Input;
  bounds: TimeBounds;
  options: Omit<ConvertOptions, "signal" | "from" | "to"> & WriteOptions;
}

export interface ConvertHooks {
  onProgress(bytesRead: number): void;
  signal: AbortSignal;
}

/** Converts an input to files with temporary names. Throws the errors of `convertFile`, and the reason for a missing input. */
export async function convertInput(
  { input, bounds, options }: ConvertTask,
  { onProgress, signal }: ConvertHooks,
): Promise<PreparedConversion> {
  if (dependOnDay(bounds)) {
    const { source, from, to } = await openWithBounds(input, bounds, options.serial, onProgress);
    const outDir = options.outDir ?? (input.kind === "file" ? dirname(input.path) : undefined);
    return prepareSource(source, { ...options, from, to, outDir, signal }, inputName(input));
  }
  const bounded = { ...options, ...resolveBounds(bounds, null), signal };
  if (input.kind === "file") return prepareFile(input.path, { ...bounded, onProgress });
  return prepareSource(openInput(input, onProgress), bounded, inputName(input));
}

/** Returns the name of an input without its extensions, for the names of outputs. */
export function inputName(input: Input): string {
  return input.kind === "file" ? inputNameOf(basename(input.path)) : "standard-input";
}

/** Opens an input and resolves the bounds of its rows. */
export function openWithBounds(
  input: Input,
  bounds: TimeBounds,
  serial: string | undefined,
  onProgress: (bytesRead: number) => void,
): ReturnType<typeof withBounds> {
  return withBounds(openInput(input, onProgress), bounds, serial);
}

/** Resolves the bounds of the rows of a source. This may require reading the source up to the first row. */
export async function withBounds(
  source: ChunkSource,
  bounds: TimeBounds,
  serial: string | undefined,
): Promise<{ source: ChunkSource; from: number | undefined; to: number | undefined }> {
  if (!dependOnDay(bounds)) return { source, ...resolveBounds(bounds, null) };
  const { firstRowMs, whole } = await readFirstRow(source, serial);
  return { source: whole, ...resolveBounds(bounds, firstRowMs) };
}
