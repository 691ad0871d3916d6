import { concatenate } from "../sources/concatenate.js";

const FIRST_CONTINUATION = 0x80;
const FIRST_LEAD = 0xc0;
/** Maximum number of bytes of a character after its first byte. */
const MAX_CONTINUATIONS = 3;

/**
 * Decodes a text in pieces. UTF-8 is divided between characters, and each piece is decoded as a whole, because a streaming
 * `TextDecoder` in Node.js 20 takes six times as long.
 */
export class TextPieces {
  readonly #isUtf8: boolean;
  #decoder: TextDecoder;
  /** The first bytes of an incomplete character. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(encoding: string) {
    this.#isUtf8 = encoding === "utf-8";
    this.#decoder = new TextDecoder(encoding);
  }

  /** Returns the text of the next bytes, except for an incomplete character at the end. */
  decode(bytes: Uint8Array): string {
    if (!this.#isUtf8) return this.#decoder.decode(bytes, { stream: true });
    const known = this.#rest.length === 0 ? bytes : concatenate([this.#rest, bytes]);
    const end = characterStart(known);
    this.#rest = known.slice(end);
    return this.#decodeWhole(known.subarray(0, end));
  }

  /** Ends the text. Returns its last character if that is incomplete. */
  end(): string {
    return this.#isUtf8 ? this.#decodeWhole(this.#rest) : this.#decoder.decode();
  }

  #decodeWhole(bytes: Uint8Array): string {
    if (bytes.length === 0) return "";
    const text = this.#decoder.decode(bytes);
    // a byte order mark can only be at the start of the text
    this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return text;
  }
}

/** Returns the position of the last character if it has several bytes, otherwise the end of the bytes. */
function characterStart(bytes: Uint8Array): number {
  const last = bytes.length - 1;
  for (let at = last; at >= Math.max(0, last - MAX_CONTINUATIONS + 1); at--) {
    const byte = bytes[at] as number;
    if (byte >= FIRST_LEAD) return at;
    if (byte < FIRST_CONTINUATION) break;
  }
  return bytes.length;
}
