import { shown } from "./arguments.js";
import { AsiError } from "./errors.js";
import { hasMethod, iterate, resultOf } from "./iterate.js";
import type { Source } from "./types.js";

/** Chunks of a source, one after another. Sources in memory answer at once, others with a promise. */
export interface ChunkReader {
  /** The next chunk, valid until the one after it is asked for; null at the end. */
  read(): Uint8Array | null | Promise<Uint8Array | null>;
  /** Lets the source go, whether it is at its end or not; does not wait for a read that is in progress. */
  close(reason?: unknown): void | Promise<void>;
}

/** A source that is read directly, without an iterator between. */
export abstract class ChunkSource implements ChunkReader, AsyncIterable<Uint8Array> {
  abstract read(): Uint8Array | null | Promise<Uint8Array | null>;
  abstract close(reason?: unknown): void | Promise<void>;

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) yield chunk;
    } finally {
      await this.close();
    }
  }
}

// Blobs are read in pieces of this size; their own stream gives 64 KiB, at twice the time.
const BLOB_PIECE = 1 << 20;

/** Throws `BAD_SOURCE` when `source` is none of the kinds that give bytes. */
export function readChunks(source: Source): ChunkReader {
  if (source instanceof ChunkSource) return source;
  if (isArrayBuffer(source)) return readOnce(bytesOf(source));
  if (ArrayBuffer.isView(source)) return readOnce(checkChunk(source));
  if (typeof source === "object" && source !== null) {
    // by what they can do: `instanceof` would make Node.js load both classes for nothing
    if (isBlob(source)) return readBlob(source);
    if (hasMethod(source, "getReader")) return readStream(source as ReadableStream<Uint8Array>);
    const iterated = iterate<Uint8Array>(source);
    if (iterated?.isAsync === true) return readAsyncIterator(source, iterated.iterator);
    if (iterated?.isAsync === false) return readIterator(iterated.iterator);
  }
  if (typeof source !== "string") throw noBytes();
  throw new AsiError("BAD_SOURCE", "The source is a text. To read a file by its path use asi-convert/node.");
}

/** The bytes of a source that is in memory. Throws `BAD_SOURCE` when it is not. */
export function bytesInMemory(source: Uint8Array | ArrayBuffer): Uint8Array {
  if (isArrayBuffer(source) || ArrayBuffer.isView(source)) return checkChunk(source);
  throw new AsiError(
    "BAD_SOURCE",
    `The recording is ${shown(source)}; hand in a Uint8Array or ArrayBuffer, or use the asynchronous function.`,
  );
}

function noBytes(): AsiError {
  return new AsiError(
    "BAD_SOURCE",
    "The source gives no bytes; hand in a Uint8Array, ArrayBuffer, Blob, ReadableStream (of a Response its body) or iterable of Uint8Array.",
  );
}

// One of another realm (a frame, a test environment) is no instance of this one's class.
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return value instanceof ArrayBuffer || Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

function isBlob(source: object): source is Blob {
  return (
    hasMethod(source, "arrayBuffer") &&
    hasMethod(source, "slice") &&
    "size" in source &&
    typeof source.size === "number"
  );
}

function bytesOf(buffer: ArrayBuffer): Uint8Array {
  try {
    return new Uint8Array(buffer);
  } catch (cause) {
    throw new AsiError("BAD_SOURCE", "The ArrayBuffer has been transferred away; hand in a copy.", { cause });
  }
}

function readOnce(bytes: Uint8Array): ChunkReader {
  let next: Uint8Array | null = bytes;
  return {
    read() {
      const chunk = next;
      next = null;
      return chunk;
    },
    close() {},
  };
}

function readBlob(blob: Blob): ChunkReader {
  let offset = 0;
  return {
    async read() {
      if (offset >= blob.size) return null;
      const slice: unknown = blob.slice(offset, offset + BLOB_PIECE);
      const piece = checkChunk(hasMethod(slice, "arrayBuffer") ? await (slice as Blob).arrayBuffer() : slice);
      offset += piece.length;
      // one that is shorter than it says would be asked for ever
      return piece.length === 0 ? null : piece;
    },
    close() {},
  };
}

function readStream(stream: ReadableStream<Uint8Array>): ChunkReader {
  if (stream.locked) {
    throw new AsiError(
      "BAD_SOURCE",
      "Somebody else reads the stream already; hand in one that is not locked.",
    );
  }
  const reader = stream.getReader();
  if (!hasMethod(reader, "read") || !hasMethod(reader, "cancel")) throw noBytes();
  return {
    async read() {
      return chunkOf((await reader.read()) as IteratorResult<Uint8Array>);
    },
    async close(reason) {
      await reader.cancel(reason);
    },
  };
}

function readAsyncIterator(source: object, iterator: AsyncIterator<Uint8Array>): ChunkReader {
  let isReading = false;
  return {
    async read() {
      isReading = true;
      try {
        return chunkOf(await iterator.next());
      } finally {
        isReading = false;
      }
    },
    async close() {
      const closing = iterator.return?.();
      if (!isReading) {
        await closing;
        return;
      }
      // A generator returns behind the read in progress, which may never end. Streams of Node.js can be told at once.
      closing?.catch(() => {});
      if ("destroy" in source && typeof source.destroy === "function") source.destroy();
    },
  };
}

function readIterator(iterator: Iterator<Uint8Array>): ChunkReader {
  return {
    read: () => chunkOf(iterator.next()),
    close() {
      iterator.return?.();
    },
  };
}

function chunkOf(result: IteratorResult<Uint8Array>): Uint8Array | null {
  return resultOf(result).done ? null : checkChunk(result.value);
}

/** Throws `BAD_SOURCE` for what is no bytes. */
export function checkChunk(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  // what a FileHandle's readableWebStream gives
  if (isArrayBuffer(chunk)) return bytesOf(chunk);
  throw new AsiError("BAD_SOURCE", `The source gave ${shown(chunk)} as a chunk instead of a Uint8Array.`);
}
