/**
 * Creates a separate temporary folder for a run. The run fails if a test leaves a file in the folder, or a running
 * process.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

// Files that other programs keep there between their runs.
const CACHES = /^(tsx-\d+|node-compile-cache|v8-compile-cache.*)$/;

const MAX_LOOKS = 100;
const LOOK_AGAIN_MS = 50;

export default function setup(): () => Promise<void> {
  const variables = ["TMPDIR", "TEMP", "TMP"];
  const before = variables.map((name) => process.env[name]);
  const folder = mkdtempSync(join(tmpdir(), "asi-tests-"));
  // the tests run commands as another user too
  chmodSync(folder, 0o755);
  for (const name of variables) process.env[name] = folder;

  return async () => {
    for (const [index, name] of variables.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
    const left = readdirSync(folder).filter((name) => !CACHES.test(name));
    let running = processesIn(folder);
    // child processes of a worker end shortly after it
    for (let i = 0; i < MAX_LOOKS && running.length > 0; i++) {
      await setTimeout(LOOK_AGAIN_MS);
      running = processesIn(folder);
    }
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`the tests left in the temporary folder: ${left.join(", ")}`);
    if (running.length > 0) throw new Error(`the tests left processes: ${running.join("; ")}`);
  };
}

/** Processes started by a test, identified by the temporary folder in their environment; only on Linux. */
function processesIn(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((id) => {
    if (!/^\d+$/.test(id)) return [];
    try {
      if (!readFileSync(`/proc/${id}/environ`, "utf8").includes(`TMPDIR=${folder}\0`)) return [];
      const [, parent] = readFileSync(`/proc/${id}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      // processes of the test runner: workers, and the compiler
      if (Number(parent) === process.pid) return [];
      return [`${id} ${readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`];
    } catch {
      // it has ended, or belongs to another user
      return [];
    }
  });
}
