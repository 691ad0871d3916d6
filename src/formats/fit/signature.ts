// The parts of the file header that identify FIT. They are in a separate module, because every bundle detects formats, but few
// bundles read FIT.

/** ".FIT", at offset 8. */
export const SIGNATURE = [0x2e, 0x46, 0x49, 0x54] as const;
/** Offset of the signature in the header. */
export const SIGNATURE_AT = 8;

/** "File Header": 12 bytes in files of older devices. */
export const OLD_HEADER_BYTES = 12;
