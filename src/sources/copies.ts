import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";

/** Maximum size of a copied piece. */
const PIECE_BYTES = 64 * 1024;

/** Returns memory of exactly `length` bytes, with any content. */
export type Allocate = (length: number) => Uint8Array;

const newMemory: Allocate = (length) => new Uint8Array(length);

/** @throws AsiError `BAD_OPTION` */
export function checkAllocate(allocate: unknown): void {
  if (allocate === undefined || typeof allocate === "function") return;
  throw new AsiError("BAD_OPTION", `allocate is ${shown(allocate)}; pass a function that returns memory.`);
}

/**
 * Copies pieces that are valid until the next one is requested.
 *
 * @returns pieces of at most 64 KiB
 * @throws AsiError `BAD_OPTION` if `allocate` returns anything but memory of the requested length
 */
export function* copies(
  pieces: Iterable<Uint8Array> = [],
  allocate: Allocate = newMemory,
): Generator<Uint8Array> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      const part = piece.subarray(at, at + PIECE_BYTES);
      const copy = allocate(part.length);
      if (!(copy instanceof Uint8Array) || copy.length !== part.length) {
        throw new AsiError("BAD_OPTION", `allocate returned no Uint8Array of ${part.length} bytes.`);
      }
      copy.set(part);
      yield copy;
    }
  }
}
