import { isHeaderPayload, renameHeader } from "../header.js";
import { frame } from "../ubx.js";

// 4 char[16] (recording format, "Frames")
const SERIAL_OFFSET = 4;
const SERIAL_BYTES = 16;

/** Which headers of a recording say something new. */
export class HeaderSerials {
  /** What overrides the serial numbers of headers. */
  #given: string | null = null;
  /** Of the last header that said something new. */
  readonly #last = new Uint8Array(SERIAL_BYTES);
  #hasLast = false;

  reset(given: string | null): void {
    this.#given = given;
    this.#hasLast = false;
  }

  /** Whether a header says what the last one that said something new says; remembers the one that does not. */
  repeats(payload: Uint8Array): boolean {
    if (!isHeaderPayload(payload)) return false;
    if (this.#hasLast && (this.#given !== null || this.#isLast(payload))) return true;
    this.#last.set(payload.subarray(SERIAL_OFFSET, SERIAL_OFFSET + SERIAL_BYTES));
    this.#hasLast = true;
    return false;
  }

  /** The frame of a header with the serial number given; null when there is none and the frame stays as it is. */
  renamed(payload: Uint8Array): Uint8Array | null {
    return this.#given === null ? null : frame("header", renameHeader(payload, this.#given));
  }

  // A text ends at its first NUL; what stands behind that is not compared.
  #isLast(payload: Uint8Array): boolean {
    for (let i = 0; i < SERIAL_BYTES; i++) {
      const character = payload[SERIAL_OFFSET + i];
      if (character !== this.#last[i]) return false;
      if (character === 0) break;
    }
    return true;
  }
}
