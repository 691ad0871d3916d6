import { rmSync } from "node:fs";
import { abortError } from "../errors.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { folderReachesDisk, refuseExisting, renameIntoPlace } from "./output-file.js";

/** Files that are complete and on the disk, and do not have their names yet. It can be sent from one thread to another. */
export interface PreparedFiles {
  /** Where they will be. */
  paths: readonly string[];
  /** Where they are, in the same order. None where the output has been written through to a pipe or device. */
  temporaryPaths: readonly string[];
  /** The folder of all of them. */
  folder: string;
}

/**
 * Gives all of the files their names, or none: a name that is taken takes back those already given, and removes the files.
 *
 * @throws AsiError `FILE_EXISTS` unless `force`, `ABORTED`; the system's errors
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

/** Removes files that are not given their names. */
export function discardFiles({ temporaryPaths }: PreparedFiles): void {
  for (const path of temporaryPaths) rmSync(path, { force: true });
}
