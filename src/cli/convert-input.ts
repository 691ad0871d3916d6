import type { ConvertOptions } from "../convert.js";
import {
  type PreparedConversion,
  prepareFile,
  prepareSource,
  type WriteOptions,
} from "../files/convert-file.js";
import { type Input, openInput } from "./inputs.js";

/** What is to be done, as it can be sent to a worker thread. */
export interface ConvertTask {
  input: Input;
  options: Omit<ConvertOptions, "signal"> & WriteOptions;
}

export interface ConvertHooks {
  onProgress(bytesRead: number): void;
  signal: AbortSignal;
}

/** Converts into files that are still to get their names. Throws what `convertFile` throws, and why an input is missing. */
export async function convertInput(
  { input, options }: ConvertTask,
  { onProgress, signal }: ConvertHooks,
): Promise<PreparedConversion> {
  if (input.kind === "file") return prepareFile(input.path, { ...options, onProgress, signal });
  return prepareSource(openInput(input, onProgress), { ...options, signal });
}
