import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { UsageError } from "../usage-error.js";

/** Longest path of a socket that every system takes (sun_path has 104 to 108 bytes). */
const MAX_PATH = 103;

/** The address of a socket in a folder, in force until it is closed. */
export interface SocketAddress {
  path: string;
  close(): void;
}

/**
 * The address of a socket in a folder. Where its path is too long for one, Linux reaches it by way of the open folder,
 * which nobody else can put another in the place of.
 * @throws UsageError where the path is too long and the system has no such way
 */
export function addressIn(folder: string, name: string): SocketAddress {
  const path = join(resolve(folder), name);
  if (Buffer.byteLength(path) <= MAX_PATH) return { path, close: () => undefined };
  if (!existsSync("/proc/self/fd")) {
    throw new UsageError(
      `The path ${path} is too long for a socket: it may have ${MAX_PATH} bytes. Set DATA_DIR to a shorter one.`,
    );
  }
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}/${name}`, close: () => closeSync(descriptor) };
}

/**
 * Shows that this process lives, by a socket in a folder that somebody listens at for as long as the process does: the
 * kernel ends that with the process, however it ends, and whichever namespace it is in. The file appears when the socket
 * listens, not before.
 * @returns ends it and removes the file
 * @throws UsageError where the file system knows no sockets
 */
export async function listenWhileAlive(folder: string, name: string): Promise<() => Promise<void>> {
  const file = join(folder, name);
  const address = addressIn(folder, `socket.${randomBytes(8).toString("hex")}`);
  const server = createServer((connection) => connection.destroy()).unref();
  try {
    await new Promise<void>((done, reject) => {
      server.once("error", reject).listen(address.path, done);
    });
  } catch (error) {
    address.close();
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    throw new UsageError(
      `No socket can be made in ${folder}: ${(error as Error).message}. It must lie on a local file system.`,
    );
  }
  server.on("error", () => undefined);
  renameSync(address.path, file);
  return async () => {
    rmSync(file, { force: true });
    await new Promise((done) => server.close(done));
    address.close();
  };
}

/** Whether somebody listens at the socket. A process that was stopped does, one that has ended does not, reaped or not. */
export async function isAlive(folder: string, name: string): Promise<boolean> {
  const address = addressIn(folder, name);
  try {
    return await new Promise<boolean>((done) => {
      const connection = connect(address.path);
      connection.once("connect", () => {
        connection.destroy();
        done(true);
      });
      connection.once("error", ({ code }: NodeJS.ErrnoException) => {
        done(code !== "ECONNREFUSED" && code !== "ENOENT");
      });
    });
  } finally {
    address.close();
  }
}
