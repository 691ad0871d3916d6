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
import { optionNames, requireFunctions, requireOptions, requirePath } from "../arguments.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { type ChunkReader, ChunkSource, readChunks } from "../sources/source.js";
import { MaybeGzip } from "./gzip.js";

const CHUNK_BYTES = 0x40000;

export interface ReadFileOptions {
  /** Called after each chunk with the number of bytes read so far, and the size of the file (0 for pipes, which have no size). */
  onProgress?: ((bytesRead: number, totalBytes: number) => void) | undefined;
}

/** Every option of `readFileChunks`. */
export const READ_FILE_OPTIONS = optionNames<ReadFileOptions>({ onProgress: true });

type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/**
 * Reads a file, a named pipe or a device as a source for `decode` and similar functions, and decompresses gzip. The chunks belong
 * to the caller. The file is opened when the first chunk is requested. `return` closes a pipe immediately, even while a chunk is
 * awaited.
 *
 * @throws AsiError `BAD_ARGUMENT`, `BAD_OPTION`, `BAD_GZIP`, and system errors (`ENOENT`, `EISDIR`, ...), with the first chunk
 */
export function readFileChunks(path: string, options: ReadFileOptions = {}): Chunks {
  const file = openFile(path, options);
  async function* chunks(): Chunks {
    try {
      for (let chunk = await file.read(); chunk !== null; chunk = await file.read()) {
        yield chunk.slice();
        if (isTurnDue()) await takeTurn();
      }
    } finally {
      await file.close();
    }
  }
  const release = async () => {
    try {
      await file.close();
    } catch {
      // no caller waits for this result
    }
  };
  return withReturn(chunks(), release);
}

/**
 * Works like `readFileChunks`, for callers that use a chunk only until they request the next one. The chunks share one buffer.
 */
export function openFile(path: string, options: ReadFileOptions = {}): ChunkSource {
  const file = new FileChunks(() => {
    requirePath("BAD_ARGUMENT", "path", path);
    requireOptions(options, READ_FILE_OPTIONS);
    requireFunctions(options, ["onProgress"]);
    const stats = statSync(path);
    return waits(stats)
      ? readChunks(waitingChunks(() => openWaiting(path, stats), options.onProgress))
      : { descriptor: openSync(path, "r"), isOwn: true, onProgress: options.onProgress };
  });
  return new MaybeGzip(file);
}

/** Reads the standard input in the same way as `openFile` reads a file. */
export function openStandardInput({ onProgress }: ReadFileOptions = {}): ChunkSource {
  const file = new FileChunks(() =>
    waits(fstatSync(0))
      ? readChunks(waitingChunks(() => process.stdin, onProgress))
      : { descriptor: 0, isOwn: false, onProgress },
  );
  return new MaybeGzip(file);
}

/** A file that is read synchronously, which takes half as long as a stream. */
interface RegularFile {
  descriptor: number;
  /** Whether the reader must close the descriptor. */
  isOwn: boolean;
  onProgress: ReadFileOptions["onProgress"];
}

class FileChunks extends ChunkSource {
  readonly #open: () => RegularFile | ChunkReader;
  #buffer: Uint8Array | null = null;
  #file: RegularFile | ChunkReader | null = null;
  #bytesRead = 0;
  #totalBytes = 0;
  #isClosed = false;

  constructor(open: () => RegularFile | ChunkReader) {
    super();
    this.#open = open;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.#isClosed) return null;
    const file = this.#file ?? this.#begin();
    if ("read" in file) return file.read();
    this.#buffer ??= new Uint8Array(CHUNK_BYTES);
    const length = readSync(file.descriptor, this.#buffer, 0, CHUNK_BYTES, null);
    if (length === 0) {
      this.close();
      return null;
    }
    this.#bytesRead += length;
    file.onProgress?.(this.#bytesRead, this.#totalBytes);
    return this.#buffer.subarray(0, length);
  }

  close(reason?: unknown): void | Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const file = this.#file;
    if (file === null) return;
    if ("read" in file) return file.close(reason);
    if (file.isOwn) closeSync(file.descriptor);
  }

  #begin(): RegularFile | ChunkReader {
    const file = this.#open();
    this.#file = file;
    if ("descriptor" in file) this.#totalBytes = fstatSync(file.descriptor).size;
    return file;
  }
}

// Returns whether reading may block. If so, the source is not read synchronously, because a blocked read cannot be interrupted.
function waits(stats: Stats): boolean {
  return !stats.isFile() && !stats.isDirectory();
}

// A stream that ends when it is destroyed, even during a read.
interface Destroyable extends AsyncIterable<Uint8Array> {
  destroy(): unknown;
}

function waitingChunks(
  open: () => Destroyable | Promise<Destroyable>,
  onProgress: ReadFileOptions["onProgress"],
): Chunks {
  let source: Destroyable | null = null;
  let isReleased = false;
  async function* chunks(): Chunks {
    source = await open();
    if (isReleased) source.destroy();
    let bytesRead = 0;
    try {
      for await (const chunk of source) {
        bytesRead += chunk.length;
        onProgress?.(bytesRead, 0);
        yield chunk;
      }
    } catch (error) {
      // the stream was destroyed during a read, whose result is not needed
      if (!isReleased) throw error;
    }
  }
  return withReturn(chunks(), () => {
    isReleased = true;
    source?.destroy();
  });
}

// Adds a `return` that calls `release` immediately. A generator would return only after the read in progress, which may never
// end.
function withReturn(chunks: Chunks, release: () => unknown): Chunks {
  const finish = chunks.return.bind(chunks);
  chunks.return = (value) => {
    release();
    return finish(value);
  };
  return chunks;
}

// Opens a source that may block. A read that waits in the thread pool would delay the end of the process; a read from a socket
// does not.
async function openWaiting(path: string, stats: Stats): Promise<Destroyable> {
  if (!stats.isFIFO()) return createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const { Socket } = await import("node:net");
  // Waiting for the writer here would block a thread of the pool, and could not be cancelled.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd: file, readable: true, writable: false });
}
