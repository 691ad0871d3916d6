import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Path of the built command. */
export const ASI = path("../dist/bin/asi.cjs");
const PEAK_MEMORY_HOOK = path("./peak-memory.mjs");
const NATIVE_SOURCE = path("./native/asi2csv.c");

/**
 * Runs a program to its end and discards its output.
 * @throws Error with its messages if it fails
 */
export function runProgram(program: string, args: readonly string[], inputPath?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const input = inputPath === undefined ? "ignore" : openSync(inputPath, "r");
    const child = spawn(program, args, { stdio: [input, "ignore", "pipe"] });
    if (input !== "ignore") closeSync(input);
    const said = messagesOf(child);
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args.join(" ")}: exit ${code}\n${said()}`)),
    );
  });
}

// Collects the messages of a process. They name temporary files, and are only needed if the process fails.
function messagesOf({ stderr }: ChildProcess): () => string {
  let said = "";
  stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return () => said;
}

/** Measures the peak resident memory of a node process in bytes; see peak-memory.mjs. */
export function peakMemory(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", PEAK_MEMORY_HOOK, ...args], {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    const said = messagesOf(child);
    let kib = "";
    child.stdio[3]?.on("data", (piece) => {
      kib += piece;
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 && kib !== ""
        ? resolve(Number(kib) * 1024)
        : reject(new Error(`${args.join(" ")}: exit ${code}\n${said()}`)),
    );
  });
}

/**
 * Measures the processor time of a program (user and system), s.
 * @throws Error if it fails
 */
export async function processorTime(program: string, args: readonly string[]): Promise<number> {
  // "times" prints the time of the shell, then the time of its children
  const { stdout } = await run("sh", ["-c", '"$@" >/dev/null && times', "sh", program, ...args]);
  const children = stdout.trim().split("\n").at(-1) ?? "";
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  );
}

/**
 * Compiles the native program into `folder`. Returns null if there is no C compiler.
 * @throws Error if it does not compile
 */
export async function buildNative(folder: string): Promise<string | null> {
  const compiler = process.env.CC ?? "cc";
  if (!(await isInstalled(compiler))) return null;
  const program = join(folder, "asi2csv");
  await run(compiler, ["-O3", "-march=native", "-o", program, NATIVE_SOURCE]);
  return program;
}

/** Returns whether a program is installed, that is, whether it starts and prints its version. */
export async function isInstalled(program: string, versionFlag = "--version"): Promise<boolean> {
  return run(program, [versionFlag]).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the times in which the native program converts a file in its memory, s. The first run is a warm-up. With `--bench-copy`, the
 * program first copies each piece into a separate buffer, as WebAssembly must.
 */
export async function sampleNative(
  program: string,
  mode: "--bench" | "--bench-copy",
  file: string,
  runs: number,
): Promise<number[]> {
  const { stdout } = await run(program, [mode, String(runs + 1), file]);
  const { ns } = JSON.parse(stdout) as { ns: number[] };
  return ns.slice(1).map((time) => time / 1e9);
}

/** Returns the output of `gpsdecode -j` for a file as lines. */
export async function gpsdecodeLines(file: string): Promise<string[]> {
  const { stdout } = await run("sh", ["-c", 'gpsdecode -j < "$1"', "sh", file], { maxBuffer: 2 ** 30 });
  return stdout.split("\n").filter((line) => line !== "");
}
