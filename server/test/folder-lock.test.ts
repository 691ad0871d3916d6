/** Tests the lock of a folder. Two processes on one embedded database would lose rows. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FolderLockedError, lockFolder } from "../src/store/embedded/folder-lock.js";
import { newScratchFolder } from "./scratch.js";

const HOLDER = [
  process.execPath,
  "--import",
  import.meta.resolve("tsx"),
  join(import.meta.dirname, "folder-lock-holder.ts"),
];

/** Runs a command until the test ends. @returns the process and its first line */
async function run(command: readonly string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(command[0] ?? "", command.slice(1), {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // The process has ended.
    }
  });
  const [chunk] = await once(child.stdout ?? child, "data");
  return { child, line: String(chunk).trim() };
}

const hold = (folder: string) => run([...HOLDER, folder]);
const inUse = { name: "FolderLockedError", message: expect.stringMatching(/is in use by process \d+/) };

const mayMakeNamespaces = (() => {
  try {
    execFileSync("unshare", ["--pid", "--fork", "--mount-proc", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

// The tests use no database, so only one project runs them.
describe.runIf(process.env.TEST_DATABASE === "embedded")("the lock on a folder", () => {
  it("excludes others until it is released, within one process and between processes", async () => {
    const folder = newScratchFolder();
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toMatchObject({ ...inUse, pid: process.pid });
    expect((await hold(folder)).line).toContain(`is in use by process ${process.pid}`);
    await unlock();
    expect(readdirSync(folder)).toEqual([]);
    const { child, line } = await hold(folder);
    expect(line).toMatch(/^held by \d+$/);
    await expect(lockFolder(folder)).rejects.toMatchObject({ ...inUse, pid: child.pid });
  });

  it("is acquired by exactly one of several processes that start at the same time", async () => {
    const folder = newScratchFolder();
    const lines = (await Promise.all(Array.from({ length: 5 }, () => hold(folder)))).map(({ line }) => line);
    expect(lines.filter((line) => line.startsWith("held"))).toHaveLength(1);
    const many = newScratchFolder();
    const tried = await Promise.allSettled(Array.from({ length: 30 }, () => lockFolder(many)));
    const refused = tried.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused).toHaveLength(29);
    for (const error of refused) expect(error).toBeInstanceOf(FolderLockedError);
    for (const one of tried) if (one.status === "fulfilled") await one.value();
    expect(readdirSync(many)).toEqual([]);
  });

  it("is released when its process is killed, even before the parent reaps the process", async () => {
    const folder = newScratchFolder();
    // The shell becomes a `sleep` process, which never waits for its child.
    const { line } = await run(["bash", "-c", '"$@" & exec sleep 600', "holder", ...HOLDER, folder]);
    const pid = Number(line.split("held by ")[1]);
    await expect(lockFolder(folder)).rejects.toMatchObject({ ...inUse, pid });
    process.kill(pid, "SIGKILL");
    const stateOf = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0];
    await expect.poll(stateOf).toBe("Z");
    // The first thread becomes a zombie before the last one has closed the files of the process.
    const isFree = async () => (await lockFolder(folder))().then(() => true);
    await expect.poll(() => isFree().catch(() => false)).toBe(true);
    expect(stateOf()).toBe("Z");
  });

  it("is held by a stopped process", async () => {
    const folder = newScratchFolder();
    const { child } = await hold(folder);
    child.kill("SIGSTOP");
    await expect(lockFolder(folder)).rejects.toMatchObject(inUse);
    // The number of attempts exceeds the queue of unaccepted connections.
    for (let tries = 0; tries < 600; tries++) await expect(lockFolder(folder)).rejects.toMatchObject(inUse);
    child.kill("SIGKILL");
    await once(child, "exit");
    await (await lockFolder(folder))();
  });

  it.runIf(mayMakeNamespaces)("works between containers with separate process numbers", async () => {
    const folder = newScratchFolder();
    const inNamespace = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", ...HOLDER, folder];
    const { child, line } = await run(inNamespace);
    expect(line).toMatch(/^held by \d+$/);
    await expect(lockFolder(folder)).rejects.toMatchObject(inUse);
    expect((await run(inNamespace)).line).toContain("is in use by process");
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect
      .poll(() =>
        lockFolder(folder).then(
          () => "free",
          () => "held",
        ),
      )
      .toBe("free");
  });

  it("works in a folder whose path is too long for a socket", async () => {
    const folder = join(newScratchFolder(), "long".repeat(40));
    mkdirSync(folder);
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toMatchObject(inUse);
    await unlock();
    expect(readdirSync(folder)).toEqual([]);
  });
});
