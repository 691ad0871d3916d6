import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface ChildOutcome {
  stdout: string;
  stderr: string;
  /** Exit status; null after a signal. */
  status: number | null;
}

export interface ChildOptions {
  args?: readonly string[];
  /** Arguments of node. */
  nodeArgs?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Runs `test/children/NAME.ts` in a separate process and waits for its end. */
export function runChild(
  name: string,
  { args = [], nodeArgs = [], env = {} }: ChildOptions = {},
): Promise<ChildOutcome> {
  const script = fileURLToPath(new URL(`children/${name}.ts`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", "tsx", ...nodeArgs, script, ...args], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ stdout, stderr, status }));
  });
}
