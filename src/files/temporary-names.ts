import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

// Files are written under `.asi-PROCESS-THREAD-MACHINE-RANDOM.part` and renamed when they are complete. A process that is killed
// leaves such a file behind. The name identifies its process, so that a later one removes only files of processes that have ended.

const PATTERN = /^\.asi-(\d+)-\d+-([0-9a-z]+)-[0-9a-z]+\.part$/;

/** Whether a file of that name is one that is being written. */
export function isTemporaryName(name: string): boolean {
  return PATTERN.test(name);
}

/** A name that no other file has. */
export function temporaryName(): string {
  // Need not be secret: "wx" opens no existing file. (node:crypto would cost 3 ms to load.)
  return `${prefixOf(thisThread)}${thisMachine()}-${Math.random().toString(36).slice(2)}.part`;
}

// Set by the threads: importing node:worker_threads would cost other processes milliseconds.
let thisThread = 0;

/** Says which thread of the process this is (`threadId`); without it the main one. */
export function writeAsThread(thread: number): void {
  thisThread = thread;
}

// Beginning of the names that a thread gives.
function prefixOf(thread: number): string {
  return `.asi-${process.pid}-${thread}-`;
}

/**
 * Removes the files that a thread of this process left in `folder` when it failed; it must have ended. `handedOver`: paths that
 * have other owners.
 */
export function discardTemporaryFiles(thread: number, folder: string, handedOver: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(`${prefixOf(thread)}${thisMachine()}-`) || handedOver.has(path)) continue;
    rmSync(path, { force: true });
  }
}

const cleared = new Set<string>();

/** Removes what processes that were killed left in `folder`: those of this machine that run no more. Looks once a folder. */
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
    // a folder that may be written and not read, or a file of another user: it stays
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // of another user
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

let machine: string | undefined;

/**
 * Where a process id means one process: this machine since it was started, and the namespace of its processes. On a folder
 * that several machines or containers share, each leaves the files of the others alone.
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

// only Linux has it
function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

// FNV-1a, twice 32 bits
function shortHash(text: string): string {
  const half = (seed: number) => {
    let hash = seed;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(36);
  };
  return half(0x811c9dc5) + half(0x050c5d1f);
}
