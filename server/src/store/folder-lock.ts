import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../usage-error.js";
import { isAlive, listenWhileAlive } from "./liveness-socket.js";

/** Another process uses the folder. */
export class FolderLockedError extends UsageError {
  override readonly name = "FolderLockedError";
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(
      `The data folder ${folder} is in use by process ${pid}; stop it first, or set DATA_DIR to another folder. (A process in another container has that number there.)`,
    );
    this.pid = pid;
  }
}

/** A process that holds the folder, or one that is about to: number of the process, and a name of the attempt. */
const LOCK = /^lock\.(\d+)\.([0-9a-f]{16})(\.starting)?$/;

/** How long a process waits for others that start at the same time to give up, and how often it looks. */
const RIVALRY_MS = 5_000;
const LOOK_MS = 20;

/**
 * Takes the folder for this process. The embedded database would lose rows if two processes used one folder. The kernel
 * gives the folder back when the process ends, however it ends.
 *
 * A process shows that it starts before it looks for others, so of any two at least one sees the other. One that sees a holder
 * gives up; of those that start together the one with the lowest name goes on.
 * @param folder on a file system of this machine; all who use it run on one kernel
 * @returns gives the folder back
 * @throws FolderLockedError
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const id = randomBytes(8).toString("hex");
  const name = `lock.${process.pid}.${id}`;
  const endStart = await listenWhileAlive(folder, `${name}.starting`);
  try {
    await outlastRivals(folder, id);
    return await listenWhileAlive(folder, name);
  } finally {
    await endStart();
  }
}

async function outlastRivals(folder: string, own: string): Promise<void> {
  const deadline = Date.now() + RIVALRY_MS;
  for (;;) {
    const found = readdirSync(folder).flatMap((file) => {
      const [, pid, id = "", starting] = LOCK.exec(file) ?? [];
      return pid === undefined || id === own
        ? []
        : [{ file, pid: Number(pid), id, starts: starting !== undefined }];
    });
    // Repeat until no other process is found: one that has ended by now may have held the lock in between.
    if (found.length === 0) return;
    for (const { file, pid, id, starts } of found) {
      if (!(await isAlive(folder, file))) rmSync(join(folder, file), { force: true });
      else if (!starts || id < own || Date.now() > deadline) throw new FolderLockedError(folder, pid);
    }
    await sleep(LOOK_MS);
  }
}
