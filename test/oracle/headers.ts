import { isHeaderPayload, renameHeader } from "../../src/recording/header.js";
import { frame } from "../../src/recording/ubx.js";
import type { Frame } from "./frame-search.js";

/** The headers of one recording: which of them say something new. */
export class Headers {
  readonly #givenSerial: string | null;
  /** Serial number of the last header that said something new. */
  #serial: string | null = null;

  constructor(givenSerial: string | null) {
    this.#givenSerial = givenSerial;
  }

  /** Whether the caller has judged a header before that says the same; remembers the one that says something new. */
  repeats(payload: Uint8Array): boolean {
    if (!isHeaderPayload(payload)) return false;
    const serial = this.#givenSerial ?? serialOf(payload);
    if (serial === this.#serial) return true;
    this.#serial = serial;
    return false;
  }

  /** The bytes of a header with the serial number given, if there is one. */
  named({ bytes, payload }: Frame): Uint8Array {
    return this.#givenSerial === null ? bytes : frame("header", renameHeader(payload, this.#givenSerial));
  }
}

// 4 char[16], up to the first NUL; byte by byte, since it may be no text at all
function serialOf(payload: Uint8Array): string {
  const characters = String.fromCharCode(...payload.subarray(4, 20));
  return characters.split("\0", 1).join();
}
