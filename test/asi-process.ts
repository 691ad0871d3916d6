import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Report } from "../src/types.js";
import { ASI, type AsiOptions, type AsiResult } from "./command.js";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

export { ASI, asi } from "./command.js";

/** Runs `asi` in a separate process, to its end. */
export function asiProcess(
  args: readonly string[],
  { cwd, input, env }: AsiOptions = {},
): Promise<AsiResult> {
  const child = startAsi(args, { ...(cwd !== undefined && { cwd }), ...(env !== undefined && { env }) });
  child.stdin.end(input);
  return endOf(child);
}

/** Starts `asi` and returns the process. */
export function startAsi(args: readonly string[], { cwd, env }: Omit<AsiOptions, "input"> = {}) {
  const child = spawn(process.execPath, [ASI, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: "", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // the process may end before it has read all input
  child.stdin.on("error", () => {});
  return child;
}

/** Waits for the end of a process and collects its output. */
export function endOf(child: ReturnType<typeof startAsi>): Promise<AsiResult> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
}

/** Runs a shell script in which `$ASI` runs the command. */
export function shell(script: string, cwd: string, env: Record<string, string> = {}): Promise<AsiResult> {
  const child = spawn("bash", ["-c", script], {
    cwd,
    env: { ...process.env, NO_COLOR: "", ...env, ASI: `${process.execPath} ${ASI}` },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end();
  return endOf(child);
}

/** A folder that is removed after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "asi-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A fixture and its expected results (fixtures/README.md). */
export class Fixture {
  readonly path: string;
  readonly #base: string;

  /** @param name for example `valid/match-hr` */
  constructor(name: string) {
    this.#base = join(FIXTURES, name);
    this.path = `${this.#base}.asi`;
  }

  get bytes(): Buffer {
    return readFileSync(this.path);
  }

  get csv(): string {
    return readFileSync(`${this.#base}.csv`, "utf8");
  }

  get expected(): { serial: string; fileName: string; report: Report } {
    return JSON.parse(readFileSync(`${this.#base}.json`, "utf8"));
  }

  /** Copies the recording, and returns its path. */
  copyTo(folder: string, name = "match.asi"): string {
    const path = join(folder, name);
    copyFileSync(this.path, path);
    return path;
  }
}

export const MATCH = new Fixture("valid/match-hr");
export const RIDE = new Fixture("valid/hour-without-hr");
export const PLAIN_LOG = new Fixture("valid/ublox7-plain");
export const TORN = new Fixture("damaged/torn-frames");
export const WITH_NMEA = new Fixture("damaged/nmea-between-frames");
export const WITHOUT_ROW = new Fixture("damaged/header-only");

/** Names in a folder, sorted. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder).sort();
}

export function textOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

/** The lines of a CSV as fields, without the header line. */
export function rowsOf(csv: string): string[][] {
  return csv
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
}
