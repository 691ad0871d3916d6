import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";

/** Maximum size of a copied piece. */
const PIECE_BYTES = 64 * 1024;

/**
 * Returns memory of at least `length` bytes, which are at most 64 KiB, with any content. A piece of the output changes when its
 * memory is returned again.
 */
export type Allocate = (length: number) => Uint8Array;

const newMemory: Allocate = (length) => new Uint8Array(length);

/**
 * Copies pieces that are valid until the next one is requested.
 *
 * @returns pieces of at most 64 KiB
 * @throws AsiError `BAD_OPTION` if `allocate` is not a function, or does not return enough memory
 */
export function* copies(pieces: Iterable<Uint8Array> = [], allocate = newMemory): Generator<Uint8Array> {
  if (typeof allocate !== "function") throw new AsiError("BAD_OPTION", "allocate is not a function.");
  let own: Uint8Array = new Uint8Array(0);
  for (const piece of pieces) {
    // Between two copies, another file may be written to the memory of the piece.
    let left = piece;
    if (piece.length > PIECE_BYTES) {
      if (own.length < piece.length) own = new Uint8Array(piece.length);
      own.set(piece);
      left = own.subarray(0, piece.length);
    }
    for (let at = 0; at < left.length; at += PIECE_BYTES) {
      const part = left.subarray(at, at + PIECE_BYTES);
      const copy = memoryOf(allocate, part.length);
      copy.set(part);
      yield copy;
    }
  }
}

function memoryOf(allocate: Allocate, length: number): Uint8Array {
  const memory: unknown = allocate(length);
  if (!(memory instanceof Uint8Array)) {
    throw new AsiError("BAD_OPTION", `allocate returned ${shown(memory)}; return a Uint8Array.`);
  }
  if (memory.length < length) {
    throw new AsiError(
      "BAD_OPTION",
      `allocate returned ${memory.length} bytes instead of ${length}; return at least as many as requested.`,
    );
  }
  return memory.subarray(0, length);
}
