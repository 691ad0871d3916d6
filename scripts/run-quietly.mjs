import { spawnSync } from "node:child_process";

/**
 * Lines of tools that ask for nothing to be done. asc: the last round of optimising made the core longer, not shorter, which changes
 * nothing of what it does.
 */
const MEANINGLESS = new Set(["Last converge was suboptimal."]);

const MOST_OUTPUT_BYTES = 64 * 2 ** 20;

/**
 * Runs a command and says so in one line. What it prints to stdout is left out, so only its warnings follow; everything does where it
 * fails.
 *
 * @param say gets the texts. By default stderr: stdout is that of `npm pack`, which prints a file name.
 * @returns the exit status of the command
 */
export function runQuietly(line, command, args, say = (text) => process.stderr.write(text)) {
  say(`${line}\n`);
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: MOST_OUTPUT_BYTES,
    // npm is a script there
    shell: process.platform === "win32",
  });
  if (error === undefined && status === 0) {
    const warnings = stderr.split("\n").filter((one) => !MEANINGLESS.has(one.trim()));
    if (warnings.some((one) => one.trim() !== "")) say(`${warnings.join("\n").trim()}\n`);
    return 0;
  }
  say(`${stdout ?? ""}${stderr ?? ""}`);
  if (error !== undefined) say(`${error.message}\n`);
  return status ?? 1;
}
