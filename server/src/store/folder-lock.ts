import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../usage-error.js";

/** Another process uses the folder. */
export class FolderLockedError extends UsageError {
  override readonly name = "FolderLockedError";
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(
      `The data folder ${folder} is in use by process ${pid}; stop it first, or set DATA_DIR to another folder`,
    );
    this.pid = pid;
  }
}

/** How long the moment of taking over a dead process's lock may last, until that too counts as left behind. */
const TAKEOVER_MS = 5_000;

/**
 * Takes the folder for this process. The embedded database would lose rows if two processes used one folder.
 * A lock whose process is gone (killed, or the machine restarted) is taken over.
 * @returns gives the folder back
 * @throws FolderLockedError
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, "lock");
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), id: randomUUID() });
  if (!create(file, mine)) {
    // Only one process at a time may judge and replace an old lock.
    const takeover = join(folder, "lock.takeover");
    if (!create(takeover, mine)) {
      if (Date.now() - (statSync(takeover, { throwIfNoEntry: false })?.mtimeMs ?? 0) < TAKEOVER_MS) {
        throw new FolderLockedError(folder, holderOf(file)?.pid ?? 0);
      }
      writeFileSync(takeover, mine);
    }
    try {
      const holder = holderOf(file);
      if (holder !== undefined && isAlive(holder)) throw new FolderLockedError(folder, holder.pid);
      writeFileSync(`${file}.new`, mine);
      renameSync(`${file}.new`, file);
    } finally {
      rmSync(takeover, { force: true });
    }
  }
  return () => {
    if (readFileSync(file, "utf8") === mine) rmSync(file);
  };
}

interface Holder {
  pid: number;
  /** Tells the process from a later one with the same number. */
  started: string | null;
}

function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

/** When the process started, where the system tells it (field 22 of proc_pid_stat(5), with the boot's id). */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
  } catch {
    return null;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return started === null || startOf(pid) === started;
}
