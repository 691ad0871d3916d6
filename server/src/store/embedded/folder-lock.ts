import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../../config/usage-error.js";
import { isAlive, listenWhileAlive } from "./liveness-socket.js";

/** Another process uses the folder. */
export class FolderLockedError extends UsageError {
  override readonly name = "FolderLockedError";
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(
      `The data folder ${folder} is in use by process ${pid}. Stop it first, or set DATA_DIR to another folder. (If it runs in another container, this is its process id there.)`,
    );
    this.pid = pid;
  }
}

/** File name of the socket of a process that holds the folder or tries to acquire it: process id and name of the attempt. */
const LOCK = /^lock\.(\d+)\.([0-9a-f]{16})(\.starting)?$/;

/** Time to wait for other processes that start at the same time, and interval of the checks, ms. */
const RIVALRY_MS = 5_000;
const POLL_MS = 20;

/**
 * Locks the folder for this process. The embedded database would lose rows if two processes used one folder. The kernel releases
 * the lock when the process ends in any way.
 *
 * A process creates its socket before it looks for others, so of any two processes at least one sees the other. A process that
 * sees a holder gives up. Among several processes that start at the same time, the process with the lowest name continues.
 * @param folder a folder on a local file system; all processes that use it run on one kernel
 * @returns function that releases the lock
 * @throws FolderLockedError
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const id = randomBytes(8).toString("hex");
  const name = `lock.${process.pid}.${id}`;
  const endStart = await listenWhileAlive(folder, `${name}.starting`);
  try {
    await waitForRivals(folder, id);
    return await listenWhileAlive(folder, name);
  } finally {
    await endStart();
  }
}

async function waitForRivals(folder: string, own: string): Promise<void> {
  const deadline = Date.now() + RIVALRY_MS;
  for (;;) {
    const found = readdirSync(folder).flatMap((file) => {
      const [, pid, id = "", starting] = LOCK.exec(file) ?? [];
      return pid === undefined || id === own
        ? []
        : [{ file, pid: Number(pid), id, starts: starting !== undefined }];
    });
    // Repeat until no other process is found, because a process that has ended may have held the lock in between.
    if (found.length === 0) return;
    for (const { file, pid, id, starts } of found) {
      if (!(await isAlive(folder, file))) rmSync(join(folder, file), { force: true });
      else if (!starts || id < own || Date.now() > deadline) throw new FolderLockedError(folder, pid);
    }
    await sleep(POLL_MS);
  }
}
