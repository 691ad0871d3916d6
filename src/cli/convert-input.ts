import type { ConvertOptions } from "../convert.js";
import { convertFile, convertToFile, type FileConversion, type WriteOptions } from "../files/convert-file.js";
import { type Input, openInput } from "./inputs.js";

/** What is to be done, as it can be sent to a worker thread. */
export interface ConvertTask {
  input: Input;
  options: Omit<ConvertOptions, "signal"> & Omit<WriteOptions, "claim">;
}

/** What the one who does it asks and tells on the way. */
export interface ConvertHooks {
  onProgress(bytesRead: number): void;
  /** Throws to refuse these paths. */
  claim(paths: readonly string[]): Promise<void>;
}

/** Throws what `convertFile` throws, and why an input is missing. */
export async function convertInput(
  { input, options }: ConvertTask,
  { onProgress, claim, signal }: ConvertHooks & { signal: AbortSignal },
): Promise<FileConversion> {
  if (input.kind === "file") return convertFile(input.path, { ...options, onProgress, claim, signal });
  return convertToFile(openInput(input, onProgress), { ...options, claim, signal });
}
