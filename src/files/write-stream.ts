import { dirname, resolve } from "node:path";
import { abortError } from "../errors.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { DescriptorOutput } from "./descriptor-output.js";
import {
  folderReachesDisk,
  isPipeOrDevice,
  OutputFile,
  refuseExisting,
  type WrittenFile,
} from "./output-file.js";

export interface WriteStreamOptions {
  /** Overwrite an existing file; default false. */
  force?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Called after the file is written and before it is renamed. It can throw an error to reject the file. */
  reserve?: (() => void | Promise<void>) | undefined;
}

/**
 * Writes a stream to a file, which is either complete or absent. If the path is a pipe or device, the stream is written to it
 * directly.
 *
 * @throws AsiError `FILE_EXISTS`, `ABORTED`, stream errors, and system errors
 */
export async function writeStream(
  stream: ReadableStream<Uint8Array>,
  path: string,
  { force = false, signal, reserve }: WriteStreamOptions = {},
): Promise<WrittenFile> {
  if (isPipeOrDevice(path)) {
    const output = await DescriptorOutput.open(path, signal);
    try {
      await writeStreamToDescriptor(stream, output);
      return { path, bytes: output.bytes };
    } finally {
      await output.close();
    }
  }
  const folder = dirname(resolve(path));
  let file: OutputFile | null = null;
  try {
    if (!force) refuseExisting(path);
    file = new OutputFile(folder);
    for await (const bytes of stream) {
      file.write(bytes);
      if (isTurnDue()) await takeTurn();
      if (signal?.aborted === true) throw abortError(signal);
    }
    await file.reachDisk();
    await reserve?.();
    if (signal?.aborted === true) throw abortError(signal);
    file.commit(path, force);
    await folderReachesDisk(folder);
    return { path, bytes: file.bytes };
  } catch (error) {
    file?.discard();
    await stream.cancel(error).catch(() => {});
    throw error;
  }
}

/** Writes a stream directly to a file descriptor, as fast as the reader at the other end reads it. */
export async function writeStreamToDescriptor(
  stream: ReadableStream<Uint8Array>,
  output: DescriptorOutput,
): Promise<void> {
  for await (const bytes of stream) await output.write(bytes);
}
