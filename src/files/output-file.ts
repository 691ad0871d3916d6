import {
  closeSync,
  constants,
  copyFileSync,
  fsync,
  fsyncSync,
  linkSync,
  open,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { AsiError } from "../errors.js";
import { clearStaleFiles, temporaryName } from "./temporary-names.js";

/** A written file. */
export interface WrittenFile {
  path: string;
  bytes: number;
}

/**
 * A file that is either complete or absent. It is written with a temporary name in the same folder, and renamed when it is
 * complete.
 */
export class OutputFile {
  readonly #temporaryPath: string;
  readonly #file: number;
  #isOpen = true;
  #bytes = 0;

  /** @param folder the folder of the file */
  constructor(folder: string) {
    clearStaleFiles(folder);
    this.#temporaryPath = join(folder, temporaryName());
    this.#file = openSync(this.#temporaryPath, "wx");
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The path before the file is renamed. */
  get temporaryPath(): string {
    return this.#temporaryPath;
  }

  write(bytes: Uint8Array): void {
    // the system may write fewer bytes than requested
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(this.#file, bytes, offset);
    this.#bytes += bytes.length;
  }

  /**
   * Waits until the written data is on the disk, so that a power failure cannot leave a file with its final name but without its
   * content. Call it before `commit`.
   */
  async reachDisk(): Promise<void> {
    this.close();
    await syncPath(this.#temporaryPath, "r+");
  }

  /** Ends writing, and closes the descriptor before `commit` renames the file. */
  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  /** Renames the file. Throws `FILE_EXISTS` unless `force`. */
  commit(path: string, force: boolean): void {
    this.close();
    renameIntoPlace(this.#temporaryPath, path, force);
  }

  /** Deletes the temporary file. Has no effect after `commit`. */
  discard(): void {
    this.close();
    rmSync(this.#temporaryPath, { force: true });
  }
}

/** Renames a complete file. Throws `FILE_EXISTS` unless `force`. */
export function renameIntoPlace(temporaryPath: string, path: string, force: boolean): void {
  // if the path is a link, its target is overwritten
  if (force) moveOver(temporaryPath, realPath(path));
  else moveUnlessThere(temporaryPath, path);
}

/** Waits until the names in a folder are on the disk, if the system supports it. */
export async function folderReachesDisk(folder: string): Promise<void> {
  try {
    await syncPath(folder, "r");
  } catch {
    // some platforms cannot open a folder; the files exist nevertheless
  }
}

async function syncPath(path: string, flags: string): Promise<void> {
  const file = await openFile(path, flags);
  try {
    await flush(file);
  } catch (error) {
    // some file systems have nothing to flush
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    closeSync(file);
  }
}

const openFile = (path: string, flags: string) =>
  new Promise<number>((resolve, reject) => {
    open(path, flags, (error, file) => (error === null ? resolve(file) : reject(error)));
  });

const flush = (file: number) =>
  new Promise<void>((resolve, reject) => {
    fsync(file, (error) => (error === null ? resolve() : reject(error)));
  });

// Moves a file unless the name exists: creating a hard link then fails atomically, whereas a rename would overwrite the file.
function moveUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || isThere(to)) throw fileExists(to);
    // the file system has no hard links
    renameSync(from, to);
    return;
  }
  rmSync(from, { force: true });
}

// Moves a file over an existing one. The target of a link may be on a different file system, where a rename is impossible, so the
// file is then first copied to the target's folder.
function moveOver(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    const beside = join(dirname(to), basename(from));
    try {
      copyFileSync(from, beside, constants.COPYFILE_EXCL);
      syncCopy(beside);
      renameSync(beside, to);
    } catch (copyError) {
      rmSync(beside, { force: true });
      throw copyError;
    }
    rmSync(from, { force: true });
  }
}

function syncCopy(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the path with links resolved, to which data will be written. If the file does not exist, the links in the path of its
 * folder are resolved.
 */
export function realPath(path: string): string {
  return isThere(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

/** Throws `FILE_EXISTS` if one of the outputs is the input itself, which is never overwritten, even with `force`. */
export function refuseInput(input: string, outputs: readonly string[]): void {
  if (!isThere(input)) return;
  const real = realPath(input);
  for (const path of outputs) {
    if (isThere(path) && realPath(path) === real) throw inputAsOutput(path);
  }
}

/** Returns the error for an output that is an input of the same call. */
export function inputAsOutput(path: string): AsiError {
  return new AsiError(
    "FILE_EXISTS",
    `${path} is an input, which is never overwritten; write to another folder.`,
  );
}

/** Returns whether the path is a pipe or a device. These are not replaced by the output, but receive it. */
export function isPipeOrDevice(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Throws `FILE_EXISTS` if the path exists. */
export function refuseExisting(path: string): void {
  if (isThere(path)) throw fileExists(path);
}

function fileExists(path: string): AsiError {
  return new AsiError("FILE_EXISTS", `${path} already exists; set the option force to overwrite it.`);
}
