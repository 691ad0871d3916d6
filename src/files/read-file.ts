import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { requireFunctions, requireObject, requirePath } from "../arguments.js";
import { isTurnDue, takeTurn } from "../event-loop-turns.js";

const CHUNK_BYTES = 0x40000;

export interface ReadFileOptions {
  /** Called after each chunk with the bytes read so far and the file's size (0 where a size means nothing: pipes). */
  onProgress?: ((bytesRead: number, totalBytes: number) => void) | undefined;
}

type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/**
 * The bytes of a file, a named pipe or a device as a source for `decode` and the like. Each chunk is the receiver's own.
 * Opens the file when the first chunk is asked for. `return` lets a pipe go at once, also while a chunk is awaited.
 *
 * @throws AsiError `BAD_ARGUMENT`, `BAD_OPTION`, and the system's errors (`ENOENT`, `EISDIR`, ...), with the first chunk
 */
export function readFileChunks(path: string, options: ReadFileOptions = {}): Chunks {
  return openedLater(path, options, (chunk) => chunk.slice());
}

/** The same, for those who are done with a chunk when they ask for the next: chunks share one buffer. */
export function readFileViews(path: string, options: ReadFileOptions = {}): Chunks {
  return openedLater(path, options, (chunk) => chunk);
}

/** The bytes of the standard input, in the same way as `readFileViews`. */
export function readStandardInput({ onProgress }: ReadFileOptions = {}): Chunks {
  if (waits(fstatSync(0))) return waitingChunks(() => process.stdin, onProgress);
  return readDescriptor(0, onProgress, (chunk) => chunk);
}

type HandOver = (view: Uint8Array) => Uint8Array;

function openedLater(path: string, options: ReadFileOptions, handOver: HandOver): Chunks {
  let opened: Chunks | null = null;
  async function* chunks(): Chunks {
    requirePath("BAD_ARGUMENT", "path", path);
    requireObject("options", options);
    requireFunctions(options, ["onProgress"]);
    const stats = statSync(path);
    opened = waits(stats)
      ? waitingChunks(() => openWaiting(path, stats), options.onProgress)
      : readOpened(path, options.onProgress, handOver);
    yield* opened;
  }
  return withReturn(chunks(), () => opened?.return().catch(() => {}));
}

// What may let a reader wait must not be read synchronously: nothing could interrupt it.
function waits(stats: Stats): boolean {
  return !stats.isFile() && !stats.isDirectory();
}

// A stream that ends when it is destroyed, in the middle of a read too.
interface Destroyable extends AsyncIterable<Uint8Array> {
  destroy(): unknown;
}

function waitingChunks(
  open: () => Destroyable | Promise<Destroyable>,
  onProgress: ReadFileOptions["onProgress"],
): Chunks {
  let source: Destroyable | null = null;
  let isLetGo = false;
  async function* chunks(): Chunks {
    source = await open();
    if (isLetGo) source.destroy();
    let bytesRead = 0;
    try {
      for await (const chunk of source) {
        bytesRead += chunk.length;
        onProgress?.(bytesRead, 0);
        yield chunk;
      }
    } catch (error) {
      // destroyed in the middle of a read, by whom nobody waits for any more
      if (!isLetGo) throw error;
    }
  }
  return withReturn(chunks(), () => {
    isLetGo = true;
    source?.destroy();
  });
}

// A generator returns behind the read in progress, which may never end: `letGo` is told at once.
function withReturn(chunks: Chunks, letGo: () => unknown): Chunks {
  const finish = chunks.return.bind(chunks);
  chunks.return = (value) => {
    letGo();
    return finish(value);
  };
  return chunks;
}

// A read that waits in the thread pool would hold up the end of the process; a socket's does not.
async function openWaiting(path: string, stats: Stats): Promise<Destroyable> {
  if (!stats.isFIFO()) return createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const { Socket } = await import("node:net");
  // An open that waits for the writer would keep a thread of the pool, and nothing could take it back.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd: file, readable: true, writable: false });
}

async function* readOpened(
  path: string,
  onProgress: ReadFileOptions["onProgress"],
  handOver: HandOver,
): Chunks {
  const file = openSync(path, "r");
  try {
    yield* readDescriptor(file, onProgress, handOver);
  } finally {
    closeSync(file);
  }
}

async function* readDescriptor(
  file: number,
  onProgress: ReadFileOptions["onProgress"],
  handOver: HandOver,
): Chunks {
  const totalBytes = fstatSync(file).size;
  const buffer = new Uint8Array(CHUNK_BYTES);
  let bytesRead = 0;
  // Reading synchronously takes half the time of a stream.
  for (;;) {
    const length = readSync(file, buffer, 0, buffer.length, null);
    if (length === 0) return;
    bytesRead += length;
    if (isTurnDue()) await takeTurn();
    onProgress?.(bytesRead, totalBytes);
    yield handOver(buffer.subarray(0, length));
  }
}
