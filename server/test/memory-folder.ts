import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

/** A file system in memory that Linux has by default. Containers limit it, often to 64 MB. */
const MEMORY_FOLDER = "/dev/shm";

/** Bytes that exceed the files of any run: the databases of a few test files, and the log of PostgreSQL. */
const REQUIRED_BYTES = 8 * 2 ** 30;

/**
 * Returns a folder in memory if it has enough space and may contain programs. There, creating a database takes 30 ms. On ext4, it
 * takes up to 700 ms, because ext4 searches for an inode that was not deleted within the last minutes, and each database has a
 * thousand files.
 */
export function memoryFolder(): string | undefined {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, path]) => path === MEMORY_FOLDER);
    const canExecute = mount !== undefined && !mount[3]?.split(",").includes("noexec");
    return canExecute && Math.min(bavail * bsize, availableBytes()) >= REQUIRED_BYTES
      ? MEMORY_FOLDER
      : undefined;
  } catch {
    // The system is not Linux, or the folder is not accessible.
    return undefined;
  }
}

/** Returns the memory that programs can get without swapping (proc_meminfo(5)), bytes. */
function availableBytes(): number {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
