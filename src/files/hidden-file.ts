import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { OutputFile } from "./output-file.js";

/*
 * Reads and writes a small file that the program keeps among the user's files, with a name that the user did not choose. The
 * folder may come from someone else, so a link or pipe with this name is neither read nor followed.
 */

// Windows has neither of these flags, and no named pipes in folders.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Error codes for a file that is missing, or is a link. */
const ABSENT = ["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "ENXIO"];

/**
 * Returns the text of the file; null if it does not exist or is not a regular file.
 *
 * @throws system errors, such as a missing permission
 */
export function readHiddenFile(folder: string, name: string): string | null {
  let file: number;
  try {
    file = openSync(join(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file, "utf8") : null;
  } finally {
    closeSync(file);
  }
}

/**
 * Replaces the file. If it is a link, the link is replaced, not its target. After a power failure, the file may be empty.
 *
 * @throws system errors
 */
export function replaceHiddenFile(folder: string, name: string, text: string): void {
  const file = new OutputFile(folder);
  try {
    file.write(new TextEncoder().encode(text));
    file.close();
    renameSync(file.temporaryPath, join(folder, name));
  } catch (error) {
    file.discard();
    throw error;
  }
}
