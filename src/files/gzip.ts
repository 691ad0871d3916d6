import { AsiError } from "../errors.js";
import { concatenate } from "../sources/concatenate.js";
import { type ChunkReader, ChunkSource, readChunks } from "../sources/source.js";

/** Returns whether bytes start like a gzip file with the only defined compression method (RFC 1952). */
export function isGzip(first: Uint8Array): boolean {
  const [id1, id2, method, flags = 0] = first;
  return first.length >= 4 && id1 === 0x1f && id2 === 0x8b && method === 8 && (flags & 0xe0) === 0;
}

const MAGIC_BYTES = 4;
const OUTPUT_BYTES = 0x10000;

/**
 * A source that decompresses gzip while it is read, and returns other data unchanged. It buffers only a few chunks, whatever the
 * compression ratio. Throws `BAD_GZIP` for damaged or truncated compressed data.
 */
export class MaybeGzip extends ChunkSource {
  readonly #source: ChunkSource;
  /** The content; null until the first bytes have been read. */
  #chunks: ChunkReader | null = null;

  constructor(source: ChunkSource) {
    super();
    this.#source = source;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.#chunks !== null) return this.#chunks.read();
    const first = this.#source.read();
    if (first instanceof Promise) return first.then((chunk) => this.#begin(chunk));
    return this.#begin(first);
  }

  close(reason?: unknown): void | Promise<void> {
    return (this.#chunks ?? this.#source).close(reason);
  }

  #begin(first: Uint8Array | null): Uint8Array | null | Promise<Uint8Array | null> {
    // the first chunk from a pipe can be shorter
    if (first !== null && first[0] === 0x1f && first.length < MAGIC_BYTES) return this.#beginSlowly(first);
    if (first === null || !isGzip(first)) {
      this.#chunks = this.#source;
      return first;
    }
    return this.#decompress(first);
  }

  async #decompress(first: Uint8Array): Promise<Uint8Array | null> {
    this.#chunks = await decompressed(first, this.#source);
    return this.#chunks.read();
  }

  async #beginSlowly(first: Uint8Array): Promise<Uint8Array | null> {
    let bytes: Uint8Array = first.slice();
    while (bytes.length < MAGIC_BYTES) {
      const chunk = await this.#source.read();
      if (chunk === null) break;
      bytes = concatenate([bytes, chunk]);
    }
    if (isGzip(bytes)) return this.#begin(bytes);
    this.#chunks = this.#source;
    return bytes;
  }
}

/** A source that ends where compressed data is truncated or damaged, if there are bytes before that position. */
export class UntilCut extends ChunkSource {
  readonly #source: ChunkSource;
  #hasBytes = false;
  /** Whether the source ended early. */
  isCut = false;

  constructor(source: ChunkSource) {
    super();
    this.#source = source;
  }

  async read(): Promise<Uint8Array | null> {
    if (this.isCut) return null;
    try {
      const chunk = await this.#source.read();
      if (chunk !== null && chunk.length > 0) this.#hasBytes = true;
      return chunk;
    } catch (error) {
      if (!this.#hasBytes || !(error instanceof AsiError) || error.code !== "BAD_GZIP") throw error;
      this.isCut = true;
      return null;
    }
  }

  close(reason?: unknown): void | Promise<void> {
    return this.#source.close(reason);
  }
}

async function decompressed(first: Uint8Array, rest: ChunkSource): Promise<ChunkReader> {
  // these modules are loaded on demand, because few files are compressed
  const [{ pipeline, Readable }, { createGunzip }] = await Promise.all([
    import("node:stream"),
    import("node:zlib"),
  ]);
  let readError: unknown = null;
  async function* compressed(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk: Uint8Array | null = first; chunk !== null; chunk = await rest.read()) {
        // the source will overwrite its chunk
        yield new Uint8Array(chunk);
      }
    } catch (error) {
      readError = error;
      throw error;
    }
  }
  const gunzip = createGunzip({ chunkSize: OUTPUT_BYTES });
  // the reader of `gunzip` receives errors
  pipeline(Readable.from(compressed(), { objectMode: false }), gunzip, () => {});
  const chunks = readChunks(gunzip);
  return {
    async read() {
      try {
        return await chunks.read();
      } catch (cause) {
        if (readError !== null) throw readError;
        throw new AsiError("BAD_GZIP", "The gzip data is damaged or truncated.", { cause });
      }
    },
    async close(reason) {
      gunzip.destroy();
      await rest.close(reason);
    },
  };
}
