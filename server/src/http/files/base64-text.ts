import { errors } from "../../domain/change/errors.js";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Class of a byte: the value of a digit, or one of these. */
const [IGNORED, PADDING, FOREIGN] = [64, 65, 66];
const KINDS = new Uint8Array(256).fill(FOREIGN);
for (const [value, digit] of [...DIGITS].entries()) KINDS[digit.charCodeAt(0)] = value;
for (const space of "\t\n\r ") KINDS[space.charCodeAt(0)] = IGNORED;
KINDS["=".charCodeAt(0)] = PADDING;

const [FIRST_PRINTABLE, QUOTE, BACKSLASH, U] = [0x20, 0x22, 0x5c, 0x75];
const hexadecimal = (digits: string) =>
  /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;

/** Bytes represented by single-character escapes. The other escapes are valid JSON but not base64. */
const ESCAPES: ReadonlyMap<string, number> = new Map([
  ["/", 0x2f],
  ["n", 0x0a],
  ["r", 0x0d],
  ["t", 0x09],
  ["b", 0x08],
  ["f", 0x0c],
  ['"', QUOTE],
  ["\\", BACKSLASH],
]);

/**
 * Decodes a JSON text that is base64 (RFC 4648 section 4; line breaks allowed, padding optional) from its bytes as they arrive.
 * Keeps only a part of the text in memory.
 */
export class Base64Text {
  readonly #field: string;
  readonly #maxBytes: number;
  #decoded: Buffer;
  #length = 0;
  /** Bits that do not yet fill a byte. */
  #bits = 0;
  #digits = 0;
  #padding = 0;
  /** An incomplete escape, starting with its backslash. */
  #escape: string | undefined;

  /**
   * @param field name of the member, for errors
   * @param maxBytes maximum number of decoded bytes
   * @param expectedBytes expected number of decoded bytes
   */
  constructor(field: string, maxBytes: number, expectedBytes: number) {
    this.#field = field;
    this.#maxBytes = maxBytes;
    this.#decoded = Buffer.allocUnsafeSlow(Math.min(maxBytes, expectedBytes) + 3);
  }

  /** Discards the decoded bytes and starts another text; keeps the memory. */
  restart(): void {
    this.#length = 0;
    this.#bits = 0;
    this.#digits = 0;
    this.#padding = 0;
    this.#escape = undefined;
  }

  /**
   * Reads the bytes after the opening quote.
   * @returns position of the closing quote in the chunk; the length of the chunk if the text continues
   * @throws ServiceError on the field: not base64; `malformed`: not JSON; `too_large`
   */
  write(chunk: Uint8Array, from: number): number {
    // Local variables, because members take three times as long.
    let [at, bits, digits, length] = [from, this.#bits, this.#digits, this.#length];
    let decoded = this.#reserve(chunk.length);
    const keep = () => {
      [this.#bits, this.#digits, this.#length] = [bits, digits, length];
    };
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const kind = KINDS[byte] ?? FOREIGN;
      if (kind < 64 && this.#escape === undefined && this.#padding === 0) {
        bits = (bits << 6) | kind;
        digits++;
        if (digits % 4 === 0) {
          decoded[length] = bits >> 16;
          decoded[length + 1] = bits >> 8;
          decoded[length + 2] = bits;
          length += 3;
          bits = 0;
        }
        continue;
      }
      if (byte === QUOTE && this.#escape === undefined) break;
      keep();
      this.#special(byte);
      [bits, digits, length, decoded] = [this.#bits, this.#digits, this.#length, this.#decoded];
    }
    keep();
    if (this.#length > this.#maxBytes) throw this.#tooLarge();
    return at;
  }

  /**
   * Ends the text.
   * @returns the decoded bytes
   * @throws ServiceError on the field: not base64; `too_large`
   */
  end(): Uint8Array {
    const rest = this.#digits % 4;
    if (rest === 1 || (this.#padding > 0 && (this.#digits + this.#padding) % 4 !== 0))
      throw this.#notBase64();
    if (rest === 2) this.#decoded[this.#length++] = this.#bits >> 4;
    if (rest === 3) {
      this.#decoded[this.#length++] = this.#bits >> 10;
      this.#decoded[this.#length++] = this.#bits >> 2;
    }
    if (this.#length > this.#maxBytes) throw this.#tooLarge();
    if (this.#digits === 0 && this.#padding > 0) throw this.#notBase64();
    return this.#decoded.subarray(0, this.#length);
  }

  /** Ensures space for the decoded bytes of a text of this length. */
  #reserve(textBytes: number): Buffer {
    const needed = this.#length + Math.ceil(textBytes / 4) * 3 + 3;
    if (needed > this.#decoded.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#decoded.length));
      this.#decoded.copy(larger, 0, 0, this.#length);
      this.#decoded = larger;
    }
    return this.#decoded;
  }

  #special(byte: number): void {
    if (this.#escape !== undefined) this.#escaped(byte);
    else if (byte === BACKSLASH) this.#escape = "";
    else if (byte < FIRST_PRINTABLE) throw errors.malformed("JSON parse error.");
    else this.#character(byte);
  }

  #escaped(byte: number): void {
    const sequence = this.#escape + String.fromCharCode(byte);
    const isUnicode = sequence.charCodeAt(0) === U;
    if (isUnicode && sequence.length < 5) {
      this.#escape = sequence;
      return;
    }
    this.#escape = undefined;
    const code = isUnicode ? hexadecimal(sequence.slice(1)) : ESCAPES.get(sequence);
    if (code === undefined) throw errors.malformed("JSON parse error.");
    this.#character(code);
  }

  #character(code: number): void {
    const kind = KINDS[code] ?? FOREIGN;
    if (kind === IGNORED) return;
    if (kind === PADDING) {
      this.#padding++;
      if (this.#padding > 2) throw this.#notBase64();
      return;
    }
    if (kind === FOREIGN || this.#padding > 0) throw this.#notBase64();
    this.#bits = (this.#bits << 6) | kind;
    this.#digits++;
    if (this.#digits % 4 !== 0) return;
    this.#decoded.writeUIntBE(this.#bits & 0xffffff, this.#length, 3);
    this.#length += 3;
    this.#bits = 0;
  }

  #notBase64 = () => errors.field(this.#field, "Not valid base64.");
  #tooLarge = () => tooLarge(this.#maxBytes);
}

/** Creates the error for a larger recording. */
export const tooLarge = (maxBytes: number) =>
  errors.tooLarge(`The recording can have at most ${maxBytes} bytes.`);
