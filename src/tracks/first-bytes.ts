import { concatenate } from "../sources/concatenate.js";
import { type ChunkReader, ChunkSource } from "../sources/source.js";

/**
 * Returns the first bytes of a source: at least `count` bytes, unless the source is shorter. They are valid until the next chunk
 * is requested.
 */
export async function readFirstBytes(chunks: ChunkReader, count: number): Promise<Uint8Array> {
  let first: Uint8Array = new Uint8Array(0);
  while (first.length < count) {
    // a chunk is valid only until the next one is requested
    const kept = first.slice();
    const chunk = await chunks.read();
    if (chunk === null) return kept;
    first = kept.length === 0 ? chunk : concatenate([kept, chunk]);
  }
  return first;
}

/** A source whose first bytes have already been read. It returns these bytes again, then the rest. */
export class ContinuedSource extends ChunkSource {
  #first: Uint8Array | null;
  readonly #rest: ChunkReader;

  constructor(first: Uint8Array, rest: ChunkReader) {
    super();
    this.#first = first;
    this.#rest = rest;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    const first = this.#first;
    this.#first = null;
    return first ?? this.#rest.read();
  }

  close(reason?: unknown): void | Promise<void> {
    return this.#rest.close(reason);
  }
}
