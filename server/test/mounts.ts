/** Mounts small file systems. */
import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";

/** Whether this user may mount file systems. */
export const canMount = (() => {
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Mounts a file system in memory until the end of the test. */
export function mountMemory(folder: string, options = "size=12m"): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
}
