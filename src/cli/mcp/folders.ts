import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { isGzip } from "../../files/gzip.js";
import { openFile } from "../../files/read-file.js";
import { findInputs, type Input } from "../batch/inputs.js";
import { DescribedError } from "../terminal/problem.js";
import { UsageError } from "../terminal/usage-error.js";

/** A recording that can be read. */
export type FileInput = Extract<Input, { kind: "file" }>;

/** Limits of the data that one call reads. */
export const MAX_FILE_BYTES = 2 ** 28;
export const MAX_FILES = 100;

interface Folder {
  /** First part of its file names. */
  name: string;
  path: string;
}

const refusal = (code: string, message: string) => new DescribedError({ error: { code, message } });

/** The folders that the user has named. File names begin with the name of their folder; other files cannot be read. */
export class Folders {
  readonly #folders: readonly Folder[];

  /** @throws UsageError for a path that is not a folder */
  constructor(paths: readonly string[]) {
    const names = new Set<string>();
    this.#folders = [...new Set(paths.map(realFolder))].map((path) => {
      const base = basename(path) || "root";
      let name = base;
      for (let number = 2; names.has(name); number += 1) name = `${base}-${number}`;
      names.add(name);
      return { name, path };
    });
  }

  get names(): string[] {
    return this.#folders.map(({ name }) => name);
  }

  /** Returns the name of a path within the folders. */
  nameOf(path: string): string {
    const folder = this.#folders.find((one) => isWithin(one.path, path));
    if (folder === undefined) return basename(path);
    return [folder.name, ...relative(folder.path, path).split(sep)].filter((part) => part !== "").join("/");
  }

  /** Replaces the paths in a message with file names. */
  shown(text: string): string {
    return [...this.#folders]
      .sort((a, b) => b.path.length - a.path.length)
      .reduce((said, { path, name }) => said.replaceAll(path, name), text);
  }

  /**
   * Returns the path of a folder.
   * @throws DescribedError `NOT_A_FOLDER`, and the errors for names outside the folders
   */
  folder(name: string): string {
    const path = this.#resolved(name);
    if (!statSync(path).isDirectory())
      throw refusal("NOT_A_FOLDER", "This is a file. Name the folder that contains it.");
    return path;
  }

  /**
   * Returns a recording with the given name.
   *
   * @throws DescribedError `NO_INPUT`, `OUTSIDE`, `NOT_A_FILE`, `FILE_TOO_LARGE`
   */
  async file(name: string): Promise<FileInput> {
    const path = this.#resolved(name);
    const stats = statSync(path);
    if (!stats.isFile())
      throw refusal("NOT_A_FILE", "This is not a file. list_recordings names the recordings of a folder.");
    await boundedBytes(path, stats.size);
    return { kind: "file", name: this.nameOf(path), path, bytes: stats.size };
  }

  /** Returns the path of a file in a folder, such as roster.csv, if it exists and can be read. */
  beside(folder: string, name: string): string | undefined {
    const path = join(folder, name);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const real = this.#real(path);
    return statSync(real).isFile() ? real : undefined;
  }

  /** Finds the recordings in a folder and its subfolders; `refused` names links to files outside the folders. */
  recordings(folder: string): { files: FileInput[]; refused: string[] } {
    const files: FileInput[] = [];
    const refused: string[] = [];
    for (const input of findInputs([folder])) {
      if (input.kind !== "file") continue;
      const path = realpathSync(input.path);
      if (this.#holds(path)) files.push({ ...input, name: this.nameOf(input.path), path });
      else refused.push(this.nameOf(input.path));
    }
    return { files, refused };
  }

  #resolved(name: string): string {
    const [first = "", ...rest] = name.split("/");
    const folder = this.#folders.find((one) => one.name === first);
    const path = folder === undefined ? resolve(name) : resolve(folder.path, ...rest.filter(Boolean));
    if (name.includes("\0") || !this.#holds(path)) throw this.#outside();
    return this.#real(path);
  }

  /** @throws DescribedError for a link to a file outside the folders */
  #real(path: string): string {
    let real: string;
    try {
      real = realpathSync(path);
    } catch {
      throw refusal("NO_INPUT", "There is no such file or folder. list_recordings names the recordings.");
    }
    if (!this.#holds(real)) throw this.#outside();
    return real;
  }

  #holds(path: string): boolean {
    return this.#folders.some((folder) => isWithin(folder.path, path));
  }

  #outside(): DescribedError {
    const names = this.names.map((name) => JSON.stringify(name)).join(", ");
    return refusal(
      "OUTSIDE",
      `Only files in these folders can be read, and links must not lead out of them: ${names}.`,
    );
  }
}

function realFolder(path: string): string {
  const real = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? realpathSync(path) : null;
  if (real === null) throw new UsageError(`${path} is not a folder. Name folders with recordings.`);
  return real;
}

const isWithin = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Decides by the content, like the recording reader, because the name is not reliable. */
function isCompressed(path: string): boolean {
  const first = new Uint8Array(4);
  const file = openSync(path, "r");
  try {
    return isGzip(first.subarray(0, readSync(file, first)));
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the number of bytes of a recording after decompression.
 *
 * @throws DescribedError if the file has more bytes than one call can read
 */
export async function boundedBytes(path: string, bytes: number): Promise<number> {
  let total = bytes;
  if (total <= MAX_FILE_BYTES && isCompressed(path)) {
    const file = openFile(path);
    try {
      total = 0;
      for (
        let chunk = await file.read();
        chunk !== null && total <= MAX_FILE_BYTES;
        chunk = await file.read()
      )
        total += chunk.length;
    } catch {
      // the recording reader reports damage
    } finally {
      await file.close();
    }
  }
  if (total > MAX_FILE_BYTES) {
    const limit = `${MAX_FILE_BYTES / 2 ** 20} MiB`;
    throw refusal("FILE_TOO_LARGE", `The recording is larger than ${limit}. Use asi stats for it.`);
  }
  return total;
}
