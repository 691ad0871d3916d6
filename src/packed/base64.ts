import { shortened, shown } from "../arguments.js";
import { AsiError } from "../errors.js";

// a multiple of 3, so that only the last piece ends with padding
const PIECE = 0x6000;

/** Bytes as base64 (RFC 4648), with padding and without line breaks. Runs in browsers and in Node.js. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE))));
  }
  return pieces.join("");
}

/** @throws AsiError `BAD_ARGUMENT` for text that is not base64 */
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
