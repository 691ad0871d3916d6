import { isHeaderPayload, renameHeader } from "../../src/recording/header.js";
import { frame } from "../../src/recording/ubx.js";
import type { Frame } from "./frame-search.js";

/** Detects repeated headers in a recording. */
export class Headers {
  readonly #givenSerial: string | null;
  /** Serial number of the last header that was not a repetition. */
  #serial: string | null = null;

  constructor(givenSerial: string | null) {
    this.#givenSerial = givenSerial;
  }

  /** Whether the header repeats the last one, which the caller has already checked; stores a header that does not. */
  repeats(payload: Uint8Array): boolean {
    if (!isHeaderPayload(payload)) return false;
    const serial = this.#givenSerial ?? serialOf(payload);
    if (serial === this.#serial) return true;
    this.#serial = serial;
    return false;
  }

  /** The bytes of a header, with the given serial number if there is one. */
  named({ bytes, payload }: Frame): Uint8Array {
    return this.#givenSerial === null ? bytes : frame("header", renameHeader(payload, this.#givenSerial));
  }
}

// 4 char[16], up to the first NUL; byte by byte, because it may not be valid text
function serialOf(payload: Uint8Array): string {
  const characters = String.fromCharCode(...payload.subarray(4, 20));
  return characters.split("\0", 1).join();
}
