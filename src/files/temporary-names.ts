import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

// Files are written with the name `.asi-PROCESS-THREAD-MACHINE-RANDOM.part`, and renamed when they are complete. A killed process
// leaves its file behind. The name identifies the process, so that a later process removes only files of processes that have
// ended.

const PATTERN = /^\.asi-(\d+)-\d+-([0-9a-z]+)-[0-9a-z]+\.part$/;

/** Returns whether a file name is a temporary name. */
export function isTemporaryName(name: string): boolean {
  return PATTERN.test(name);
}

/** Returns a unique name. */
export function temporaryName(): string {
  // The name need not be secret, because "wx" opens no existing file. Loading node:crypto would take 3 ms.
  return `${prefixOf(thisThread)}${thisMachine()}-${Math.random().toString(36).slice(2)}.part`;
}

// Threads set this number themselves, because an import of node:worker_threads would delay other processes by milliseconds.
let thisThread = 0;

/** Sets the number of this thread (`threadId`); default: the main thread. */
export function writeAsThread(thread: number): void {
  thisThread = thread;
}

// Returns the prefix of a thread's temporary names.
function prefixOf(thread: number): string {
  return `.asi-${process.pid}-${thread}-`;
}

/**
 * Removes the temporary files in `folder` that a failed thread of this process has left. The thread must have ended. `handedOver`
 * lists paths that now belong to other threads.
 */
export function discardTemporaryFiles(thread: number, folder: string, handedOver: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(`${prefixOf(thread)}${thisMachine()}-`) || handedOver.has(path)) continue;
    rmSync(path, { force: true });
  }
}

const cleared = new Set<string>();

/**
 * Removes the temporary files in `folder` that killed processes have left: those of processes on this machine that are no longer
 * running. Each folder is checked once.
 */
export function clearStaleFiles(folder: string): void {
  if (cleared.has(folder)) return;
  cleared.add(folder);
  try {
    for (const name of readdirSync(folder)) {
      const [, pid, machine] = PATTERN.exec(name) ?? [];
      if (machine !== thisMachine() || isRunning(Number(pid))) continue;
      rmSync(join(folder, name), { force: true });
    }
  } catch {
    // the folder is writable but not readable, or the file belongs to another user and is kept
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // the process belongs to another user
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

let machine: string | undefined;

/**
 * Returns an identifier for the scope in which process ids are unique: the machine since its last boot, and the process
 * namespace. In a folder that several machines or containers share, each of them ignores the files of the others.
 */
function thisMachine(): string {
  machine ??= shortHash(
    [
      hostname(),
      orNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
      orNothing(() => readlinkSync("/proc/self/ns/pid")),
    ].join(),
  );
  return machine;
}

// returns an empty text if the file does not exist; only Linux has it
function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

// returns two FNV-1a hashes of 32 bits each
function shortHash(text: string): string {
  const half = (seed: number) => {
    let hash = seed;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(36);
  };
  return half(0x811c9dc5) + half(0x050c5d1f);
}
