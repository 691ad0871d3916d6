import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { UsageError } from "../config/usage-error.js";

/**
 * Writes a stream to a new file, which appears when it is complete. Only its owner can read it. Never replaces a file.
 * @returns number of bytes
 * @throws UsageError when the file exists or cannot be written
 */
export async function writeNewFile(file: string, content: Readable): Promise<number> {
  const taken = () => new UsageError(`The file ${file} already exists. Choose another name.`);
  if (existsSync(file)) throw taken();
  const part = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString("hex")}.part`);
  let bytes = 0;
  try {
    const handle = await open(part, "wx", 0o600);
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        await handle.writeFile(chunk);
        bytes += chunk.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(part, file);
    return bytes;
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw taken();
    throw syscall === undefined ? error : new UsageError(`The file cannot be written: ${message}`);
  } finally {
    content.destroy();
    await rm(part, { force: true });
  }
}
