/**
 * Creates a folder for everything that a run of the tests writes outside the repository. A run fails if it leaves files in the
 * folder or processes, because they could affect the next run.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryFolder } from "./memory-folder.js";

/** Time within which a process must end, ms. */
const ENDING_MS = 5_000;

/** Matches the workers and the compiler of the test runner, which ends them later. */
const OF_RUNNER = /vitest|esbuild --service/;

/** Prefix of files compiled by tsx, which are kept for the next process of the same user. */
const TSX_CACHE = "tsx-";

const readProcess = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    // The process has ended or belongs to another user.
    return undefined;
  }
};

/** Returns the processes that have the folder in their environment or arguments, or as working directory; none without /proc. */
function processesOf(folder: string): { pid: number; command: string }[] {
  const pids = (readProcess(() => readdirSync("/proc")) ?? []).map(Number).filter((pid) => pid > 0);
  return pids.flatMap((pid) => {
    const command = readProcess(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.replaceAll("\0", " ");
    if (command === undefined || command === "" || pid === process.pid) return [];
    const isOfRun =
      command.includes(folder) ||
      readProcess(() => readFileSync(`/proc/${pid}/environ`, "utf8"))?.includes(folder) === true ||
      readProcess(() => readlinkSync(`/proc/${pid}/cwd`))?.startsWith(folder) === true;
    return isOfRun && !OF_RUNNER.test(command) ? [{ pid, command }] : [];
  });
}

async function endProcesses(folder: string): Promise<string[]> {
  const endMs = performance.now() + ENDING_MS;
  let left = processesOf(folder);
  while (left.length > 0 && performance.now() < endMs) {
    await sleep(50);
    left = processesOf(folder);
  }
  for (const { pid } of left) readProcess(() => process.kill(pid, "SIGKILL"));
  return left.map(({ pid, command }) => `process ${pid}: ${command}`);
}

/**
 * Redirects temporary files of this process and its children to a folder for the run. Each project of the run calls this
 * function.
 * @returns a function that ends the project; the last one removes the folder, and fails the run if a file or a process remains
 */
export function startRun(): () => Promise<void> {
  const folder = process.env.TEST_RUN_FOLDER ?? makeFolder();
  changeProjects(1);
  return async () => {
    if (changeProjects(-1) > 0) return;
    const names = readdirSync(folder).filter((name) => !name.startsWith(TSX_CACHE));
    const left = [...(await endProcesses(folder)), ...names.map((name) => join(folder, name))];
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    // The test runner only prints an error that this function throws.
    process.exitCode = 1;
    throw new Error(`The tests have left behind:\n${left.join("\n")}`);
  };
}

/**
 * Changes the number of running projects. The number is in the environment, because each project loads this module separately.
 */
function changeProjects(by: number): number {
  const projects = Number(process.env.TEST_RUN_PROJECTS ?? 0) + by;
  process.env.TEST_RUN_PROJECTS = String(projects);
  return projects;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(process.env.TMPDIR ?? memoryFolder() ?? tmpdir(), "asi-test-"));
  // PostgreSQL does not run as root, and its user must read files in the folder.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.env.TEST_RUN_FOLDER = folder;
  // An interrupted run does not reach its end, and neither does a run whose set-up fails.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
