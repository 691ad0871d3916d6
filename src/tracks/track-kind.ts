import { OLD_HEADER_BYTES, SIGNATURE, SIGNATURE_AT } from "../formats/fit/profile.js";

/** How many bytes tell it: white space in front of XML is seldom longer. */
export const TELLING_BYTES = 64;

/** Whether bytes begin a FIT file or an XML document, as far as the first bytes tell; null: neither. */
export function trackKind(first: Uint8Array): "fit" | "xml" | null {
  if (isFit(first)) return "fit";
  // behind a mark of the byte order and white space
  const text = new TextDecoder(encodingOf(first)).decode(first);
  return text.trimStart().startsWith("<") ? "xml" : null;
}

/** Whether bytes, of which there are at least 12 or all, begin a FIT file. */
export function isFit(first: Uint8Array): boolean {
  return (
    (first[0] ?? 0) >= OLD_HEADER_BYTES && SIGNATURE.every((byte, i) => first[SIGNATURE_AT + i] === byte)
  );
}

/** The encoding of a text, by its first bytes. Of all that an XML declaration may name, digits and tags are as in UTF-8. */
export function encodingOf(first: Uint8Array): string {
  if (first[0] === 0xff && first[1] === 0xfe) return "utf-16le";
  if (first[0] === 0xfe && first[1] === 0xff) return "utf-16be";
  return "utf-8";
}
