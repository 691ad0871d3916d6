import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { UsageError } from "../../config/usage-error.js";

/** Longest socket path that all systems support (sun_path has 104 to 108 bytes). */
const MAX_PATH = 103;

/** Address of a socket in a folder, valid until it is closed. */
export interface SocketAddress {
  path: string;
  close(): void;
}

/**
 * Returns the address of a socket in a folder. If its path is too long, Linux can address it through the open folder, which no
 * other user can replace.
 * @throws UsageError when the path is too long on another system
 */
export function addressIn(folder: string, name: string): SocketAddress {
  const path = join(resolve(folder), name);
  if (Buffer.byteLength(path) <= MAX_PATH) return { path, close: () => undefined };
  if (!existsSync("/proc/self/fd")) {
    throw new UsageError(
      `The path ${path} is too long for a socket, which can have at most ${MAX_PATH} bytes. Set DATA_DIR to a shorter path.`,
    );
  }
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}/${name}`, close: () => closeSync(descriptor) };
}

/**
 * Shows that this process is alive by listening on a socket in a folder. The kernel closes the socket when the process
 * ends in any way, in any namespace. The file appears only when the socket listens.
 * @returns function that closes the socket and removes the file
 * @throws UsageError when the file system does not support sockets
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
      `No socket can be created in ${folder}: ${(error as Error).message}. The folder must be on a local file system.`,
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

/** Whether a process listens on the socket. This includes a stopped process, but not a process that has ended. */
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
