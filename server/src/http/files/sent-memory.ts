import type { Readable } from "node:stream";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { PIECE_BYTES } from "../../domain/raw-data/arrow-stream.js";

/** Maximum number of pieces that are kept. Some are being written, some wait for the connection. */
const MAX_PIECES = 16;

/** A stream into which a file is written, such as a response. */
interface Destination {
  /** Number of bytes that have not been processed. */
  readonly writableLength: number;
}

interface Piece {
  bytes: Uint8Array;
  /** Position of its end in the file; null until the stream has taken it. */
  end: number | null;
}

/**
 * Memory for the pieces of a file. It is reused when the destination has processed a piece. With new memory for each piece, tens of
 * MB would accumulate before a garbage collection, because memory outside the JavaScript heap rarely causes one.
 */
export class SentMemory {
  readonly #pieces = new Map<ArrayBufferLike, Piece>();
  #given = 0;
  #file: Readable | null = null;
  #destination: Destination | null = null;

  /** Returns memory of `length` bytes, with any content. It is new if all pieces are in use, or too small. */
  readonly allocate = (length: number): Uint8Array => {
    if (length > PIECE_BYTES) return new Uint8Array(length);
    const piece = this.#free() ?? this.#add();
    if (piece === null) return new Uint8Array(length);
    piece.end = null;
    return piece.bytes.subarray(0, length);
  };

  /**
   * Yields the pieces of a file, each in a separate iteration of the event loop, because a fast client would take them without a
   * pause. A stream must have taken a piece before it requests the next one.
   */
  async *given(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of pieces) {
      yield bytes;
      this.#given += bytes.length;
      const piece = this.#pieces.get(bytes.buffer);
      if (piece !== undefined) piece.end = this.#given;
      await nextEventLoopTurn();
    }
  }

  /**
   * Sets the streams that contain the pieces. Without them, no memory is reused.
   * @param file the stream of the pieces
   * @param destination the stream into which the file is written
   */
  follow(file: Readable, destination: Destination): void {
    this.#file = file;
    this.#destination = destination;
  }

  #free(): Piece | null {
    if (this.#file === null || this.#destination === null) return null;
    const processed = this.#given - this.#file.readableLength - this.#destination.writableLength;
    for (const piece of this.#pieces.values()) if (piece.end !== null && piece.end <= processed) return piece;
    return null;
  }

  #add(): Piece | null {
    if (this.#pieces.size === MAX_PIECES) return null;
    const piece = { bytes: new Uint8Array(PIECE_BYTES), end: null };
    this.#pieces.set(piece.bytes.buffer, piece);
    return piece;
  }
}
