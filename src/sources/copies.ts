import { AsiError } from "../errors.js";

/** Maximum size of a copied piece. */
const PIECE_BYTES = 64 * 1024;

/** Returns memory of at least `length` bytes, with any content. */
export type Allocate = (length: number) => Uint8Array;

const newMemory: Allocate = (length) => new Uint8Array(length);

/**
 * Copies pieces that are valid until the next one is requested.
 *
 * @returns pieces of at most 64 KiB
 * @throws AsiError `BAD_OPTION` if `allocate` is not a function
 */
export function* copies(pieces: Iterable<Uint8Array> = [], allocate = newMemory): Generator<Uint8Array> {
  if (typeof allocate !== "function") throw new AsiError("BAD_OPTION", "allocate is not a function.");
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      const part = piece.subarray(at, at + PIECE_BYTES);
      const copy = allocate(part.length).subarray(0, part.length);
      copy.set(part);
      yield copy;
    }
  }
}
