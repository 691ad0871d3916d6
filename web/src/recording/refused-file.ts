import { AsiError, type AsiErrorCode } from "asi-convert";

/**
 * Messages of the page for files that the library cannot read. The messages of the library name its options, which users do not know. The
 * table omits codes that already have a message of the page, and codes that no file can cause.
 */
const WORDS: Partial<Record<AsiErrorCode, string>> = {
  NOT_A_RECORDING:
    "The page reads recordings (.asi), FIT, GPX, TCX and CSV files, and this file has a different format, or is too damaged. If it comes from a device, copy it from there again.",
  UNSUPPORTED_VERSION:
    "The recording is in a version of the format that this page does not know. Its device may be newer than the page. Look for a newer version of the page.",
  BAD_HEADER:
    "A header of the recording, which names its device, cannot be used. Copy the file from the device again. If that changes nothing, give it a serial number.",
  MIXED_DEVICES:
    "The file contains recordings of several devices. Open the recordings of each device separately. If it is one recording, give it one serial number.",
  BAD_TRACK:
    "The file is damaged or incomplete, or is not a FIT, GPX or TCX file. Export it again from the watch or the program that it comes from.",
  BAD_OPTION:
    "This serial number cannot be used. Use 1 to 16 letters and digits. Names reserved by Windows, such as CON, are not possible.",
};

/** Returns the same error with the message of the page. */
export function inPageWords(error: unknown): unknown {
  const words = error instanceof AsiError ? WORDS[error.code] : undefined;
  if (!(error instanceof AsiError) || words === undefined) return error;
  return new AsiError(error.code, words, {
    byteOffset: error.byteOffset,
    line: error.line,
    cause: error,
  });
}
