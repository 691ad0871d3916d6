import { errors } from "../../domain/change/errors.js";

/** Limits on the structure of a JSON text, far above the needs of any operation. */
export const JSON_LIMITS = {
  /** Nesting depth of arrays and objects. */
  depth: 64,
  /** Values in arrays and objects, including arrays and objects. */
  values: 50_000,
  /** Members of objects. */
  members: 5_000,
} as const;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Scans a JSON text as it arrives, and rejects a structure that is expensive to parse. Two bytes can become a value,
 * and the parsing time grows faster than the number of members. The parser, not the scan, checks the syntax.
 *
 * A body may contain one long string, such as a picture or a course. The rest has a separate limit.
 */
export class JsonScan {
  readonly #maxBytesAround: number;
  #bytes = 0;
  #longestText = 0;
  #text = 0;
  #isInText = false;
  #isEscaped = false;
  #depth = 0;
  #values = 0;
  #members = 0;

  /** @param maxBytesAround bytes outside the longest string */
  constructor(maxBytesAround: number) {
    this.#maxBytesAround = maxBytesAround;
  }

  /**
   * Scans the next bytes.
   * @throws ServiceError `malformed` if the structure exceeds a limit, `too_large` if the bytes do
   */
  write(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isInText) {
        this.#text++;
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#endText();
      } else {
        this.#step(byte);
      }
    }
    this.#bytes += chunk.length;
    if (this.#bytes - Math.max(this.#longestText, this.#text) > this.#maxBytesAround) {
      throw errors.tooLarge("The request body is too large.");
    }
  }

  #endText(): void {
    this.#isInText = false;
    this.#longestText = Math.max(this.#longestText, this.#text);
    this.#text = 0;
  }

  #step(byte: number | undefined): void {
    switch (byte) {
      case QUOTE:
        this.#isInText = true;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        this.#depth++;
        this.#values++;
        if (this.#depth > JSON_LIMITS.depth) throw beyond(`levels, at most ${JSON_LIMITS.depth}`);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        this.#depth--;
        break;
      case COLON:
        this.#members++;
        if (this.#members > JSON_LIMITS.members) throw beyond(`members, at most ${JSON_LIMITS.members}`);
        break;
      case COMMA:
        this.#values++;
        if (this.#values > JSON_LIMITS.values) throw beyond(`values, at most ${JSON_LIMITS.values}`);
        break;
      default:
    }
  }
}

const beyond = (what: string) => errors.malformed(`The body has too many ${what}.`);
