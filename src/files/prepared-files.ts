import { rmSync } from "node:fs";
import { abortError } from "../errors.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { folderReachesDisk, refuseExisting, renameIntoPlace } from "./output-file.js";

/** Complete files on the disk that still have temporary names. The object can be sent between threads. */
export interface PreparedFiles {
  /** Their final paths. */
  paths: readonly string[];
  /** Their current paths, in the same order. Empty if the output was written directly to a pipe or device. */
  temporaryPaths: readonly string[];
  /** The folder of all files. */
  folder: string;
}

/**
 * Renames all files or none. If a name exists, the files renamed so far are renamed back, and all files are removed.
 *
 * @throws AsiError `FILE_EXISTS` unless `force`, `ABORTED`; system errors
 */
export async function commitFiles(
  prepared: PreparedFiles,
  { force = false, signal }: { force?: boolean | undefined; signal?: AbortSignal | undefined },
): Promise<void> {
  const { temporaryPaths, paths, folder } = prepared;
  if (temporaryPaths.length === 0) return;
  const committed: string[] = [];
  try {
    if (signal?.aborted === true) throw abortError(signal);
    if (!force) {
      for (const path of paths) {
        if (isTurnDue()) await takeTurn();
        refuseExisting(path);
      }
    }
    for (const [i, temporaryPath] of temporaryPaths.entries()) {
      if (isTurnDue()) await takeTurn();
      const path = paths[i] ?? "";
      renameIntoPlace(temporaryPath, path, force);
      committed.push(path);
    }
  } catch (error) {
    if (!force) for (const path of committed) rmSync(path, { force: true });
    discardFiles(prepared);
    throw error;
  }
  await folderReachesDisk(folder);
}

/** Removes files instead of renaming them. */
export function discardFiles({ temporaryPaths }: PreparedFiles): void {
  for (const path of temporaryPaths) rmSync(path, { force: true });
}
