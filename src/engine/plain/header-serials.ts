import { isHeaderPayload, renameHeader } from "../../recording/header.js";
import { frame } from "../../recording/ubx.js";

// char[16] at offset 4 (docs/recording-format.md, "Frames")
const SERIAL_OFFSET = 4;
const SERIAL_BYTES = 16;

/** Detects headers with new content in a recording. */
export class HeaderSerials {
  /** Serial number that overrides the headers. */
  #given: string | null = null;
  /** Serial number of the last header with new content. */
  readonly #last = new Uint8Array(SERIAL_BYTES);
  #hasLast = false;

  reset(given: string | null): void {
    this.#given = given;
    this.#hasLast = false;
  }

  /** Returns whether a header repeats the last one with new content. If it does not, later headers are compared with it. */
  repeats(payload: Uint8Array): boolean {
    if (!isHeaderPayload(payload)) return false;
    if (this.#hasLast && (this.#given !== null || this.#isLast(payload))) return true;
    this.#last.set(payload.subarray(SERIAL_OFFSET, SERIAL_OFFSET + SERIAL_BYTES));
    this.#hasLast = true;
    return false;
  }

  /** Returns the header frame with the overriding serial number; null if there is none and the frame is unchanged. */
  renamed(payload: Uint8Array): Uint8Array | null {
    return this.#given === null ? null : frame("header", renameHeader(payload, this.#given));
  }

  // Compares a serial number with the last one. A text ends at its first NUL; the bytes after it are not compared.
  #isLast(payload: Uint8Array): boolean {
    for (let i = 0; i < SERIAL_BYTES; i++) {
      const character = payload[SERIAL_OFFSET + i];
      if (character !== this.#last[i]) return false;
      if (character === 0) break;
    }
    return true;
  }
}
