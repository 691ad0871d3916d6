import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isAlive, listenWhileAlive } from "../../store/embedded/liveness-socket.js";

/** Number of bytes buffered before a write. */
const WRITE_BYTES = 1024 * 1024;
/** Number of bytes per read. */
const READ_BYTES = 1024 * 1024;
/** Maximum size of a file in memory, if there is space: the CSV of two hours at 10 Hz. */
const MAX_BYTES_IN_MEMORY = 4 * 1024 * 1024;

/** Returns the name of the socket next to the folder of a process. The socket shows that the process is alive. */
const lifeOf = (name: string) => `${name}.lock`;

/** Memory that all files of a process share. */
export class SpoolMemory {
  #free: number;

  /** @param bytes 0 stores all files on disk */
  constructor(bytes: number) {
    this.#free = bytes;
  }

  get free(): number {
    return this.#free;
  }

  /** @returns whether there was space */
  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
  }
}

/**
 * Stores converted uploads of this process until they are sent: small ones in memory if there is space, others in a folder. After
 * a crash, the next process removes the folder.
 */
export class Spool {
  readonly #folder: string;
  readonly #memory: SpoolMemory;
  readonly #stopListening: () => Promise<void>;
  #count = 0;

  private constructor(folder: string, memory: SpoolMemory, stopListening: () => Promise<void>) {
    this.#folder = folder;
    this.#memory = memory;
    this.#stopListening = stopListening;
  }

  /**
   * @param dataDir data folder of the service, which several processes may share
   * @param memoryBytes memory for files
   */
  static async open(dataDir: string, memoryBytes: number): Promise<Spool> {
    const uploads = join(dataDir, "uploads");
    mkdirSync(uploads, { recursive: true, mode: 0o700 });
    const name = `process-${randomBytes(6).toString("hex")}`;
    const stopListening = await listenWhileAlive(uploads, lifeOf(name));
    // While the socket listens, no other process considers the folder abandoned.
    mkdirSync(join(uploads, name), { mode: 0o700 });
    await removeAbandoned(uploads);
    return new Spool(join(uploads, name), new SpoolMemory(memoryBytes), stopListening);
  }

  /** Creates a file. @param reserve see `Reserve`; default: there is space for any size */
  file(reserve?: Reserve): SpooledFile {
    this.#count++;
    return new SpooledFile(join(this.#folder, String(this.#count)), this.#memory, reserve);
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

/** Reserves space for a file of this many bytes before they are stored. @returns a promise only if they must wait for it */
export type Reserve = (bytes: number) => void | Promise<void>;

/** Adds chunks to a file and takes ownership of them. @returns a promise only if the next chunks must wait for it */
export type AddChunks = (chunks: readonly Uint8Array[]) => void | Promise<void>;

/** Result of an upload, stored until it is sent: in memory if it is small and there is space, otherwise on disk. */
export class SpooledFile {
  readonly path: string;
  readonly #memory: SpoolMemory;
  readonly #reserve: Reserve;
  #bytes = 0;
  /** Part of the file in memory. */
  #chunks: Uint8Array[] = [];
  #bytesInMemory = 0;
  #isOnDisk = false;
  #writer: Writer | undefined;
  #isRemoved = false;

  constructor(path: string, memory: SpoolMemory, reserve: Reserve = () => undefined) {
    this.path = path;
    this.#memory = memory;
    this.#reserve = reserve;
  }

  /**
   * Stores the chunks as they arrive and takes ownership of them. If the source fails, the caller must remove the
   * incomplete file.
   * @returns number of bytes of the file
   */
  write(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return this.fill(async (add) => {
      for await (const chunk of chunks) await add([chunk]);
    });
  }

  /**
   * Stores the chunks that a function adds.
   * @param produce must end after its last `add` has ended
   */
  async fill(produce: (add: AddChunks) => Promise<void>): Promise<number> {
    try {
      await produce((chunks) => this.#addReserved(chunks));
      await this.#writer?.flush();
    } finally {
      await this.#writer?.close();
      // The file was removed before it was created.
      if (this.#isRemoved) await this.remove();
    }
    return this.#bytes;
  }

  /**
   * Returns the content of the file: its bytes if they are in memory, otherwise a stream, which remains readable after the file
   * is removed.
   * @throws Error with the code ENOENT if the file has been removed
   */
  async read(): Promise<Readable | Buffer> {
    if (this.#isRemoved) throw Object.assign(new Error("The file has been removed"), { code: "ENOENT" });
    if (!this.#isOnDisk) return Buffer.concat(this.#chunks.splice(0), this.#bytesInMemory);
    const file = await open(this.path, "r");
    return file.createReadStream({ highWaterMark: READ_BYTES });
  }

  /** Removes the file, if it exists. Call it when the content is no longer needed. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    this.#forget();
    if (!this.#isOnDisk) return;
    await unlink(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }

  #addReserved(chunks: readonly Uint8Array[]): void | Promise<void> {
    for (const { length } of chunks) this.#bytes += length;
    const reserving = this.#reserve(this.#bytes);
    return reserving === undefined ? this.#add(chunks) : reserving.then(() => this.#add(chunks));
  }

  #add(chunks: readonly Uint8Array[]): void | Promise<void> {
    for (const [i, chunk] of chunks.entries()) {
      if (this.#writer === undefined && this.#keeps(chunk)) continue;
      const written = this.#writer === undefined ? this.#moveToDisk(chunk) : this.#writer.add(chunk);
      if (written !== undefined) return written.then(() => this.#add(chunks.slice(i + 1)));
    }
  }

  /** @param next first chunk that is not kept in memory */
  async #moveToDisk(next: Uint8Array): Promise<void> {
    this.#isOnDisk = true;
    this.#writer = new Writer(await open(this.path, "wx", 0o600));
    for (const chunk of [...this.#chunks, next]) await this.#writer.add(chunk);
    this.#forget();
  }

  #keeps(chunk: Uint8Array): boolean {
    // No reader needs the file.
    if (this.#isRemoved) return true;
    if (this.#bytesInMemory + chunk.length > MAX_BYTES_IN_MEMORY) return false;
    if (!this.#memory.take(chunk.length)) return false;
    this.#chunks.push(chunk);
    this.#bytesInMemory += chunk.length;
    return true;
  }

  #forget(): void {
    this.#chunks = [];
    this.#memory.giveBack(this.#bytesInMemory);
    this.#bytesInMemory = 0;
  }
}

/** Writes while the next chunks arrive, at most one write at a time. */
class Writer {
  readonly #file: FileHandle;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @returns a promise only if the next chunk must wait for it */
  add(chunk: Uint8Array): void | Promise<void> {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes >= WRITE_BYTES) return this.#write();
  }

  async flush(): Promise<void> {
    await this.#write();
    await this.#writing;
  }

  /** Closes the file when the current write has ended or failed. */
  async close(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#file.close();
  }

  async #write(): Promise<void> {
    await this.#writing;
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#writing = writeAll(this.#file, pending);
    // The promise is awaited later. The handler avoids an unhandled rejection until then.
    this.#writing.catch(() => {});
  }
}

/** Writes all chunks, even if each call writes only a part. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (let rest = chunks; rest.length > 0; ) {
    const { bytesWritten } = await file.writev(rest);
    rest = behind(rest, bytesWritten);
  }
}

/** Returns the chunks after the first `count` bytes. */
function behind(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  return chunks.flatMap((chunk) => {
    const taken = Math.min(left, chunk.length);
    left -= taken;
    return taken < chunk.length ? [chunk.subarray(taken)] : [];
  });
}
