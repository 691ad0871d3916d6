import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { AsiError } from "../errors.js";

/** A file that was written. */
export interface WrittenFile {
  path: string;
  bytes: number;
}

/**
 * A file that is there whole or not at all: written under a temporary name in its own folder, and renamed when done.
 */
export class OutputFile {
  readonly #temporaryPath: string;
  readonly #file: number;
  #isOpen = true;
  #bytes = 0;

  /** @param folder where the file will stand */
  constructor(folder: string) {
    // Need not be secret: "wx" opens no file that is there already. (node:crypto would cost 3 ms to load.)
    const name = `${temporaryPrefix(thisThread)}${Math.random().toString(36).slice(2)}.part`;
    this.#temporaryPath = join(folder, name);
    this.#file = openSync(this.#temporaryPath, "wx");
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  write(bytes: Uint8Array): void {
    writeFully(this.#file, bytes);
    this.#bytes += bytes.length;
  }

  /** No more will be written; frees the descriptor before `commit` gives the file its name. */
  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  /** Gives the file its name. Throws `FILE_EXISTS` unless `force`. */
  commit(path: string, force: boolean): void {
    this.close();
    // what a link points to is overwritten, not the link
    if (force) moveOver(this.#temporaryPath, realPath(path));
    else moveUnlessThere(this.#temporaryPath, path);
  }

  /** Takes back what has been written, and leaves nothing. Harmless after `commit`. */
  discard(): void {
    this.close();
    rmSync(this.#temporaryPath, { force: true });
  }
}

// Told by the threads themselves: to load node:worker_threads would cost the others milliseconds.
let thisThread = 0;

/** Says which thread of the process this is (`threadId`); without it the main one. */
export function writeAsThread(thread: number): void {
  thisThread = thread;
}

// Beginning of the temporary names that a thread gives.
function temporaryPrefix(thread: number): string {
  return `.asi-${process.pid}-${thread}-`;
}

/** Takes back what a thread of this process left in `folder` when it broke down; it must have ended. */
export function discardTemporaryFiles(thread: number, folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(temporaryPrefix(thread))) rmSync(join(folder, name), { force: true });
  }
}

/** Writes all of `bytes`, however little each call takes. */
function writeFully(file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
}

// A link fails where the name is taken, in one step; rename would overwrite.
function moveUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || isThere(to)) throw fileExists(to);
    // file systems without hard links
    renameSync(from, to);
    return;
  }
  rmSync(from, { force: true });
}

// A link can lead to another file system, which a rename does not reach: there the file is first copied beside its name.
function moveOver(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    const beside = join(dirname(to), basename(from));
    try {
      copyFileSync(from, beside, constants.COPYFILE_EXCL);
      renameSync(beside, to);
    } catch (copyError) {
      rmSync(beside, { force: true });
      throw copyError;
    }
    rmSync(from, { force: true });
  }
}

/** The path behind all links, as far as there is something: what is overwritten when it is written to. */
export function realPath(path: string): string {
  return isThere(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

/** Throws `FILE_EXISTS` when one of the outputs is the input itself: that is never overwritten, `force` or not. */
export function refuseInput(input: string, outputs: readonly string[]): void {
  if (!isThere(input)) return;
  const real = realPath(input);
  for (const path of outputs) {
    if (isThere(path) && realPath(path) === real) throw inputAsOutput(path);
  }
}

/** What is thrown for an output that is an input of the same call. */
export function inputAsOutput(path: string): AsiError {
  return new AsiError(
    "FILE_EXISTS",
    `${path} is an input itself, which is never overwritten; write into another folder.`,
  );
}

/** Whether a pipe or a device has that name: it is written into, not replaced. */
export function isPipeOrDevice(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Throws `FILE_EXISTS` when something has that name. */
export function refuseExisting(path: string): void {
  if (isThere(path)) throw fileExists(path);
}

function fileExists(path: string): AsiError {
  return new AsiError("FILE_EXISTS", `${path} is there already; it is overwritten only with option force.`);
}
