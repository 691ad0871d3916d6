import { FormatRegistry } from "@sinclair/typebox";

const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
export const MAX_PICTURE_BASE64 = Math.ceil(MAX_PICTURE_BYTES / 3) * 4;

/** Whether the text is standard base64 (padding optional) of a JPEG, PNG or WebP image, told by its first bytes. */
export function isPicture(base64: string): boolean {
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
