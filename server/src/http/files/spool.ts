import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isAlive, listenWhileAlive } from "../../store/liveness-socket.js";

/** Bytes buffered before a write. */
const WRITE_BYTES = 1024 * 1024;
/** Bytes per read. */
const READ_BYTES = 1024 * 1024;

/** The socket next to the folder of a process that shows that the process is alive. */
const lifeOf = (name: string) => `${name}.lock`;

/** The folder of this process for converted uploads until they are sent. After a crash, the next process removes it. */
export class Spool {
  readonly #folder: string;
  readonly #stopListening: () => Promise<void>;
  #count = 0;

  private constructor(folder: string, stopListening: () => Promise<void>) {
    this.#folder = folder;
    this.#stopListening = stopListening;
  }

  /** @param dataDir folder of the service's data; several processes may share it */
  static async open(dataDir: string): Promise<Spool> {
    const uploads = join(dataDir, "uploads");
    mkdirSync(uploads, { recursive: true, mode: 0o700 });
    const name = `process-${randomBytes(6).toString("hex")}`;
    const stopListening = await listenWhileAlive(uploads, lifeOf(name));
    // From now on, no other process treats the folder as abandoned.
    mkdirSync(join(uploads, name), { mode: 0o700 });
    await removeAbandoned(uploads);
    return new Spool(join(uploads, name), stopListening);
  }

  /** A new file in the folder. */
  file(): SpooledFile {
    this.#count++;
    return new SpooledFile(join(this.#folder, String(this.#count)));
  }

  /** Removes the folder and its content. */
  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#stopListening();
  }
}

/** Removes the folders of processes that have ended. */
async function removeAbandoned(uploads: string): Promise<void> {
  const names = readdirSync(uploads).filter((name) => name.startsWith("process-"));
  for (const name of new Set(names.map((file) => file.replace(/\.lock$/, "")))) {
    if (await isAlive(uploads, lifeOf(name))) continue;
    rmSync(join(uploads, name), { recursive: true, force: true });
    rmSync(join(uploads, lifeOf(name)), { force: true });
  }
}

/** The result of an upload, kept on disk until it is sent. */
export class SpooledFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Writes the chunks as they arrive, and takes ownership of them. If the source fails, the caller must remove the
   * incomplete file.
   * @returns bytes written
   */
  async write(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const file = await open(this.path, "wx", 0o600);
    const writer = new Writer(file);
    try {
      for await (const chunk of chunks) await writer.add(chunk);
      await writer.flush();
    } finally {
      await writer.settle();
      await file.close();
    }
    return writer.bytes;
  }

  /**
   * The content of the file, which remains readable when the file is removed.
   * @throws Error with the code ENOENT when the file has been removed
   */
  async read(): Promise<Readable> {
    const file = await open(this.path, "r");
    return file.createReadStream({ highWaterMark: READ_BYTES });
  }

  /** Removes the file, if it exists. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** Writes while the next chunks arrive, at most one write at a time. */
class Writer {
  /** Bytes accepted so far. */
  bytes = 0;
  readonly #file: FileHandle;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    this.bytes += chunk.length;
    if (this.#pendingBytes >= WRITE_BYTES) await this.#write();
  }

  async flush(): Promise<void> {
    await this.#write();
    await this.#writing;
  }

  /** Waits for the current write to end or fail. */
  async settle(): Promise<void> {
    await this.#writing.catch(() => {});
  }

  async #write(): Promise<void> {
    await this.#writing;
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#writing = writeAll(this.#file, pending);
    // The promise is awaited later; this avoids an unhandled rejection until then.
    this.#writing.catch(() => {});
  }
}

/** Writes all chunks, even when each call writes only a part. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (let rest = chunks; rest.length > 0; ) {
    const { bytesWritten } = await file.writev(rest);
    rest = behind(rest, bytesWritten);
  }
}

/** The chunks after the first `count` bytes. */
function behind(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  return chunks.flatMap((chunk) => {
    const taken = Math.min(left, chunk.length);
    left -= taken;
    return taken < chunk.length ? [chunk.subarray(taken)] : [];
  });
}
