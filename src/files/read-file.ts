import { closeSync, createReadStream, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { requireObject } from "../errors.js";
import { EventLoopTurns } from "./event-loop-turns.js";

const CHUNK_BYTES = 0x40000;

export interface ReadFileOptions {
  /** Called after each chunk with the bytes read so far and the file's size (0 where a size means nothing: pipes). */
  onProgress?: ((bytesRead: number, totalBytes: number) => void) | undefined;
}

/**
 * The bytes of a file, a named pipe or a device as a source for `decode` and the like. Chunks share one buffer: each holds
 * until the next is asked for. Opens the file when the first chunk is asked for.
 *
 * @throws the system's errors (`ENOENT`, `EISDIR`, ...)
 */
export async function* readFileChunks(
  path: string,
  options: ReadFileOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  requireObject("options", options);
  const { onProgress } = options;
  const stats = statSync(path);
  if (waits(stats)) {
    yield* counted(await openWaiting(path, stats), onProgress);
    return;
  }
  const file = openSync(path, "r");
  try {
    yield* readDescriptor(file, onProgress);
  } finally {
    closeSync(file);
  }
}

/** The bytes of the standard input, in the same way. */
export async function* readStandardInput({
  onProgress,
}: ReadFileOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
  if (waits(fstatSync(0))) yield* counted(process.stdin, onProgress);
  else yield* readDescriptor(0, onProgress);
}

// What may let a reader wait must not be read synchronously: nothing could interrupt it.
function waits(stats: Stats): boolean {
  return !stats.isFile() && !stats.isDirectory();
}

// A read that waits in the thread pool would hold up the end of the process; a socket's does not.
async function openWaiting(path: string, stats: Stats): Promise<AsyncIterable<Uint8Array>> {
  if (!stats.isFIFO()) return createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const [{ Socket }, { open }] = await Promise.all([import("node:net"), import("node:fs")]);
  const file = await new Promise<number>((resolve, reject) => {
    open(path, "r", (error, descriptor) => (error === null ? resolve(descriptor) : reject(error)));
  });
  return new Socket({ fd: file, readable: true, writable: false });
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onProgress: ReadFileOptions["onProgress"],
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytesRead = 0;
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    onProgress?.(bytesRead, 0);
    yield chunk;
  }
}

async function* readDescriptor(
  file: number,
  onProgress: ReadFileOptions["onProgress"],
): AsyncGenerator<Uint8Array, void, undefined> {
  const totalBytes = fstatSync(file).size;
  const buffer = new Uint8Array(CHUNK_BYTES);
  let bytesRead = 0;
  // Reading synchronously takes half the time of a stream.
  const turns = new EventLoopTurns();
  for (;;) {
    const length = readSync(file, buffer, 0, buffer.length, null);
    if (length === 0) return;
    bytesRead += length;
    if (turns.isDue) await turns.take();
    onProgress?.(bytesRead, totalBytes);
    yield buffer.subarray(0, length);
  }
}
