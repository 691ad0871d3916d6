// Text files that users save with spreadsheets and editors.

/** Detects UTF-16 from the byte order mark of a text; otherwise returns UTF-8. */
export function encodingOf(first: Uint8Array): "utf-16le" | "utf-16be" | "utf-8" {
  if (first[0] === 0xff && first[1] === 0xfe) return "utf-16le";
  if (first[0] === 0xfe && first[1] === 0xff) return "utf-16be";
  return "utf-8";
}

/**
 * Returns the text of a file, without its byte order mark: UTF-16 with a byte order mark, UTF-8, or Windows-1252 if it is not UTF-8.
 * @param file its bytes; a text is already decoded
 */
export function textIn(file: Uint8Array | string): string {
  if (typeof file === "string") return file.replace(/^\uFEFF/, "");
  const encoding = encodingOf(file);
  if (encoding !== "utf-8") return new TextDecoder(encoding).decode(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch {
    // the encoding of Excel's "CSV" in Western Europe
    return new TextDecoder("windows-1252").decode(file);
  }
}
