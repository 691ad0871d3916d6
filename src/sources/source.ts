import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { BodyOfFetch, Source } from "../types.js";
import { hasMethod, iterate, iteratorResult } from "./iterate.js";

/** Reads the chunks of a source in order. Sources in memory are read synchronously, others with promises. */
export interface ChunkReader {
  /** Returns the next chunk, which is valid until the following one is requested; null at the end. */
  read(): Uint8Array | null | Promise<Uint8Array | null>;
  /** Releases the source, at its end or earlier. It does not wait for a read in progress. */
  close(reason?: unknown): void | Promise<void>;
}

/** A source that is read directly, without an iterator. */
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

// Blobs are read in pieces of this size. Their own streams use pieces of 64 KiB, and take twice as long.
const BLOB_PIECE = 1 << 20;

/** Returns a reader for a source. Throws `BAD_SOURCE` if `source` does not provide bytes. */
export function readChunks(source: Source): ChunkReader {
  if (source instanceof ChunkSource) return source;
  if (isArrayBuffer(source)) return readOnce(bytesOf(source));
  if (ArrayBuffer.isView(source)) return readOnce(checkChunk(source));
  if (typeof source === "object" && source !== null) {
    // this checks methods, because `instanceof` would make Node.js load both classes unnecessarily
    if (isBlob(source)) return readBlob(source);
    if (hasMethod(source, "getReader")) return readStream(source as ReadableStream<Uint8Array>);
    if (isBodyOfFetch(source)) return readBody(source);
    const iterated = iterate<Uint8Array>(source);
    if (iterated?.isAsync === true) return readAsyncIterator(source, iterated.iterator);
    if (iterated?.isAsync === false) return readIterator(iterated.iterator);
  }
  if (typeof source !== "string") throw noBytes();
  throw new AsiError(
    "BAD_SOURCE",
    "The source is a string. To read a file by its path, use asi-convert/node.",
  );
}

/** Returns the bytes of a source in memory. Throws `BAD_SOURCE` for other sources. */
export function bytesInMemory(source: Uint8Array | ArrayBuffer): Uint8Array {
  if (isArrayBuffer(source) || ArrayBuffer.isView(source)) return checkChunk(source);
  throw new AsiError(
    "BAD_SOURCE",
    `The recording is ${shown(source)}; pass a Uint8Array or ArrayBuffer, or use the asynchronous function.`,
  );
}

function noBytes(): AsiError {
  return new AsiError(
    "BAD_SOURCE",
    "The source does not provide bytes; pass a Uint8Array, ArrayBuffer, Blob, ReadableStream, Response or iterable of Uint8Array.",
  );
}

// Returns whether a value is an ArrayBuffer, including one from a different realm (a frame, a test environment), which is not an
// instance of this realm's class.
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return value instanceof ArrayBuffer || Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

export function isBlob(source: unknown): source is Blob {
  return (
    typeof source === "object" &&
    source !== null &&
    hasMethod(source, "arrayBuffer") &&
    hasMethod(source, "slice") &&
    "size" in source &&
    typeof source.size === "number"
  );
}

function isBodyOfFetch(source: object): source is BodyOfFetch {
  return "body" in source && "bodyUsed" in source && hasMethod(source, "arrayBuffer");
}

function readBody({ body, bodyUsed }: BodyOfFetch): ChunkReader {
  if (bodyUsed) {
    throw new AsiError("BAD_SOURCE", "The body of the Response has been read already; fetch it again.");
  }
  return body === null ? readOnce(new Uint8Array(0)) : readChunks(body);
}

function bytesOf(buffer: ArrayBuffer): Uint8Array {
  try {
    return new Uint8Array(buffer);
  } catch (cause) {
    throw new AsiError("BAD_SOURCE", "The ArrayBuffer has been transferred; pass a copy.", { cause });
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
      // reading a blob that is shorter than its size would never end
      return piece.length === 0 ? null : piece;
    },
    close() {},
  };
}

function readStream(stream: ReadableStream<Uint8Array>): ChunkReader {
  if (stream.locked) {
    throw new AsiError("BAD_SOURCE", "The stream is locked by another reader; pass one that is not locked.");
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
      // A generator returns only after the read in progress, which may never end, so it is not awaited. Node.js streams can be
      // destroyed immediately.
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
  return iteratorResult(result).done ? null : checkChunk(result.value);
}

/** Returns a chunk as a Uint8Array. Throws `BAD_SOURCE` if it is not bytes. */
export function checkChunk(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  // chunks of a FileHandle's readableWebStream are ArrayBuffers
  if (isArrayBuffer(chunk)) return bytesOf(chunk);
  throw new AsiError("BAD_SOURCE", `The source returned ${shown(chunk)} as a chunk instead of a Uint8Array.`);
}
