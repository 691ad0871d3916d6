import { shortened, shown } from "../arguments.js";
import { AsiError } from "../errors.js";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PADDING = 0x3d;

/**
 * Encodes bytes as base64 (RFC 4648), with padding and without line breaks, in browsers and in Node.js. `btoa` would be slow,
 * because it requires a string of the bytes, and some supported platforms do not have `toBase64` of `Uint8Array`.
 */
export function toBase64(bytes: Uint8Array): string {
  const digits = new TextEncoder().encode(DIGITS);
  const text = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text[at++] = digits[(group >> shift) & 63] ?? 0;
  }
  text.fill(PADDING, text.length - ((3 - (bytes.length % 3)) % 3));
  return new TextDecoder().decode(text);
}

/** Decodes base64. Throws `BAD_ARGUMENT` for text that is not base64. */
export function fromBase64(text: string): Uint8Array {
  let binary: string;
  try {
    if (typeof text !== "string") throw new TypeError(shown(text));
    binary = atob(text);
  } catch (cause) {
    const start = typeof text === "string" ? JSON.stringify(shortened(text, 20)) : shown(text);
    throw new AsiError("BAD_ARGUMENT", `The text is not base64; it starts with ${start}.`, { cause });
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
