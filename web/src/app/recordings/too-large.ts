import { decimal, fileSize } from "../../view/values.js";

/**
 * Returns the message for a file that exceeds the limit, with the remedy.
 * @param limitBytes the limit of the service; null if it is unknown
 */
export function tooLarge(file: Pick<File, "size">, limitBytes: number | null) {
  // if both values round to 34 MB, only the numbers of bytes show the difference
  const isClose = limitBytes !== null && fileSize(limitBytes) === fileSize(file.size);
  const size = (bytes: number) => (isClose ? `${decimal(bytes, 0)} bytes` : fileSize(bytes));
  const limit = limitBytes === null ? "less" : `at most ${size(limitBytes)}`;
  return {
    reason: `The file has ${size(file.size)}, and the service accepts ${limit}. To split it, open it in the viewer, choose a part on the plots, and download that part as .asi. Repeat this for the next part. Or ask the person who runs the service for a higher limit.`,
    isTemporary: false,
    unknownSerial: null,
  };
}
