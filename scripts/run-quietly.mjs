import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Runs a command and prints only its warnings, which it writes to stderr. If it fails, prints all of its output.
 *
 * @param args arguments of Node.js
 * @param options options of `spawn`
 * @param say receives the texts. Default: stderr, because `npm pack` prints a file name on stdout.
 * @returns the exit status of the command
 */
export async function runQuietly(args, options = {}, say = (line) => process.stderr.write(line)) {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve(status ?? 1));
  });
  try {
    const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    const told = status === 0 ? stderr.trim() : `${stdout}${stderr}`.trim();
    if (told !== "") say(`${told}\n`);
    return status;
  } catch (error) {
    say(`${error.message}\n`);
    return 1;
  }
}
