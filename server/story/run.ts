/**
 * Starts the built service on a temporary database, creates an application and a device like an operator, and runs the
 * requests of a client:
 *
 *     npm run story -w server
 *
 * With DATABASE_URL, it uses this PostgreSQL database instead and leaves its rows there. With a file name, it writes a
 * backup at the end. `npm run record-release -w server` uses this to record the backup of a release, which the tests of
 * all later releases restore.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inspect } from "asi-convert";
import { startReceiver } from "./receiver.js";
import { tellStory } from "./story.js";

const MAIN = join(import.meta.dirname, "../dist/main.js");
const RECORDING = join(import.meta.dirname, "../../fixtures/valid/match-hr.asi");

const folder = mkdtempSync(join(tmpdir(), "asi-server-story-"));
const env = {
  ...process.env,
  DATA_DIR: folder,
  PORT: "0",
  METRICS_PORT: "0",
  LOG_LEVEL: "error",
  // The receiver is on this machine.
  WEBHOOK_ALLOW_PRIVATE: "true",
};

const operator = async (...args: string[]) =>
  JSON.parse((await promisify(execFile)(process.execPath, [MAIN, ...args, "--json"], { env })).stdout);

/** Waits for the address at which the service listens. */
function listening(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    service.stdout?.on("data", (chunk: Buffer) => {
      output += chunk;
      const url = /listens on (http:\S+);/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    service.once("exit", (code) => reject(new Error(`The service ended with ${code}: ${output}`)));
  });
}

const recording = new Uint8Array(readFileSync(RECORDING));
const { info, report } = await inspect(recording);
const [first, second] = report.ranges.map(({ start, stop }) => ({
  start: new Date(start).toISOString(),
  end: new Date(stop).toISOString(),
}));
if (first === undefined || second === undefined) throw new Error("The recording has no two halves");

const service = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] });
const receiver = await startReceiver();
try {
  const url = await listening(service);
  console.log(`The service listens on ${url}.`);
  const device = { serial_number: info.serial, device_name: `tracker ${info.serial}` };
  const client = await operator("app", "create", "--name", "Story");
  const added = ["--serial-number", device.serial_number, "--device-name", device.device_name];
  await operator("device", "add", ...added, "--device-type", info.deviceType || "T1");
  const given = { url, client, device, recording, halves: [first, second] as const, receiver };
  const backdateOwnership = () => operator("ownership", "backdate", info.serial, "--start", first.start);
  await tellStory({ ...given, backdateOwnership }, (line) => console.log(`- ${line}`));
  console.log("The service behaved as documented.");
  const [file] = process.argv.slice(2);
  if (file !== undefined) console.log(await operator("backup", file));
} finally {
  const exited = once(service, "exit");
  if (service.exitCode === null) {
    service.kill("SIGTERM");
    await exited;
  }
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
