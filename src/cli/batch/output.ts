import { realpathSync, statSync } from "node:fs";
import { DescriptorOutput } from "../../files/descriptor-output.js";
import type { WrittenFile } from "../../files/output-file.js";
import { type WriteStreamOptions, writeStream, writeStreamToDescriptor } from "../../files/write-stream.js";
import { formatOfFile } from "../../formats/catalogue.js";
import { UsageError } from "../terminal/usage-error.js";
import type { Input } from "./inputs.js";

export function isStandardOutput(output: string | undefined): boolean {
  return output === "-" || output === "/dev/stdout";
}

/** Throws a UsageError if a binary format would be written to a terminal. */
export function refuseOnTerminal(output: string | undefined, format: string, isText: boolean): void {
  if (isText || !isStandardOutput(output) || process.stdout.isTTY !== true) return;
  throw new UsageError(
    `The format ${format} is binary and cannot be shown in a terminal. Name a file with -o, or redirect the output to a file or another program: > file.${format}`,
  );
}

/** Throws a UsageError for an output that is a folder, or one of the inputs. */
export function refuseAsOutput(output: string, inputs: readonly Input[]): void {
  if (isStandardOutput(output)) return;
  const stats = statSync(output, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) throw new UsageError(`-o names a file, but ${output} is a folder.`);
  if (!stats.isFile()) return;
  const real = realpathSync(output);
  if (inputs.some((input) => input.kind === "file" && realpathSync(input.path) === real)) {
    throw new UsageError(`${output} is the input, which is never overwritten; choose another name.`);
  }
}

/** Like `refuseAsOutput`, for an output that becomes a recording. Also refuses names with the extension of another format. */
export function refuseAsRecording(output: string, inputs: readonly Input[]): void {
  refuseAsOutput(output, inputs);
  const format = isStandardOutput(output) ? null : formatOfFile(output);
  if (format === null) return;
  throw new UsageError(
    `The output is a recording, and ${output} has the extension of ${format.name}; use .asi. To write ${format.name}, use asi convert.`,
  );
}

/**
 * Writes a stream to a file or the standard output.
 * @returns null for the standard output
 */
export async function writeOutput(
  stream: ReadableStream<Uint8Array>,
  output: string,
  options: WriteStreamOptions,
): Promise<WrittenFile | null> {
  if (!isStandardOutput(output)) return writeStream(stream, output, options);
  await writeStreamToDescriptor(stream, new DescriptorOutput(1, options.signal));
  return null;
}

/** Returns bytes in memory, or several pieces of bytes, as a stream. */
export function streamOf(bytes: Uint8Array | readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) controller.enqueue(piece);
      controller.close();
    },
  });
}
