import { FormatRegistry } from "@sinclair/typebox";

export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;

/** Prefix of a data URL (RFC 2397), which browsers create when they read a file. */
const DATA_URL = /^data:image\/[\w.+-]{1,40};base64,/i;
const MAX_PREFIX = 64;

/** Maximum number of characters of a picture with a prefix. */
export const MAX_PICTURE_TEXT = Math.ceil(MAX_PICTURE_BYTES / 3) * 4 + MAX_PREFIX;

/** Maximum size of a JSON body with a picture, in bytes. It allows for clients that escape each slash. */
export const PICTURE_BODY_BYTES = Math.ceil(MAX_PICTURE_TEXT * 1.05) + 64 * 1024;

/** Returns the base64 of a picture, without the prefix of a data URL. */
export const base64Of = (text: string): string => text.replace(DATA_URL, "");

/**
 * Whether the text is standard base64 (padding optional) of a JPEG, PNG or WebP image, recognised by its first bytes, or a
 * data URL of one.
 */
export function isPicture(text: string): boolean {
  const base64 = base64Of(text);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length > MAX_PICTURE_BYTES) return false;
  const start = bytes.subarray(0, 12).toString("latin1");
  return (
    start.startsWith("\xff\xd8\xff") ||
    start.startsWith("\x89PNG\r\n\x1a\n") ||
    (start.startsWith("RIFF") && start.slice(8) === "WEBP")
  );
}

FormatRegistry.Set("picture", isPicture);
