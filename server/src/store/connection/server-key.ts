import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../config/usage-error.js";

/** Returns the path of the file with the server key if SERVER_KEY is not set: 32 bytes in base64. */
export const serverKeyFile = (dataDir: string): string => join(dataDir, "server.key");
/** Returns the path of the file with the next server key during a rotation. */
const nextFile = (dataDir: string) => join(dataDir, "server.key.next");
/** Returns the path of the file with the previous server key, which older backups need. */
const previousFile = (dataDir: string) => join(dataDir, "server.key.previous");

const KEY_BYTES = 32;

const keyIn = (file: string) => new Uint8Array(Buffer.from(readFileSync(file, "utf8"), "base64"));

/**
 * Reads the server key of the data folder; creates it at the first start.
 * @throws UsageError when the file does not contain a key
 */
export function serverKeyOf(dataDir: string): Uint8Array {
  const file = serverKeyFile(dataDir);
  if (!existsSync(file)) createKey(file);
  const key = keyIn(file);
  if (key.length === KEY_BYTES) return key;
  throw new UsageError(
    `The file ${file} does not contain a server key, which is ${KEY_BYTES} bytes in base64. Restore the file from a copy. If there is no copy, remove the file and run asi-server key reset, which removes the unreadable secrets.`,
  );
}

/**
 * Creates the file with a key. It appears when it is complete, because another process may start at the same time. The key of the
 * first process is kept.
 */
function createKey(file: string): void {
  const part = `${file}.${randomBytes(8).toString("hex")}.part`;
  try {
    writeFileSync(part, randomBytes(KEY_BYTES).toString("base64"), { mode: 0o600, flag: "wx", flush: true });
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

/**
 * Returns the next server key: the key of an interrupted rotation, or a new key, which is on the disk when the function returns.
 */
export async function nextServerKey(dataDir: string): Promise<Uint8Array> {
  const file = nextFile(dataDir);
  if (existsSync(file) && keyIn(file).length === KEY_BYTES) return keyIn(file);
  await writeDurably(file, randomBytes(KEY_BYTES).toString("base64"));
  return keyIn(file);
}

/**
 * Replaces the current server key with the next one, and keeps the current one as the previous key. Does nothing if another
 * rotation to the same key has done this.
 * @throws UsageError when the next key is different
 */
export async function replaceServerKey(dataDir: string, next: Uint8Array): Promise<void> {
  const holds = (file: string) => existsSync(file) && Buffer.from(keyIn(file)).equals(next);
  if (!holds(nextFile(dataDir))) {
    if (holds(serverKeyFile(dataDir))) return;
    throw new UsageError("Another rotation has replaced the server key. Run the command again.");
  }
  await writeDurably(previousFile(dataDir), readFileSync(serverKeyFile(dataDir), "utf8"));
  await rename(nextFile(dataDir), serverKeyFile(dataDir));
  await withFile(dataDir, "r", (folder) => folder.sync());
}

async function writeDurably(file: string, content: string): Promise<void> {
  await withFile(`${file}.part`, "w", async (handle) => {
    await handle.writeFile(content);
    await handle.sync();
  });
  await rename(`${file}.part`, file);
  await withFile(join(file, ".."), "r", (folder) => folder.sync());
}

async function withFile(path: string, flags: string, work: (handle: FileHandle) => Promise<void>) {
  const handle = await open(path, flags, 0o600);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
