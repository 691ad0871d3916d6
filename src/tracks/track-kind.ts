import { OLD_HEADER_BYTES, SIGNATURE, SIGNATURE_AT } from "../formats/fit/signature.js";
import { encodingOf } from "../text-encoding.js";

/** Number of bytes in which the kind is detected. White space before XML is rarely longer. */
export const DETECTION_BYTES = 1024;

/** Detects from the first bytes whether the input is a FIT file or an XML document; null if it is neither. */
export function trackKind(beginning: Uint8Array): "fit" | "xml" | null {
  // the first chunk can be a whole file, which is too long for one string
  const first = beginning.subarray(0, DETECTION_BYTES);
  if (isFit(first)) return "fit";
  // a byte order mark and white space may precede the first tag, which has the same bytes in UTF-8 and other encodings
  const text = new TextDecoder(encodingOf(first)).decode(first);
  return text.trimStart().startsWith("<") ? "xml" : null;
}

/** Returns whether the input is a FIT file. `first` contains at least the first 12 bytes, or the whole input if it is shorter. */
export function isFit(first: Uint8Array): boolean {
  return (
    (first[0] ?? 0) >= OLD_HEADER_BYTES && SIGNATURE.every((byte, i) => first[SIGNATURE_AT + i] === byte)
  );
}
