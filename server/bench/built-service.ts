import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { allocatorSettings } from "./allocator.js";
import { resetPeak, residentMb } from "./process-memory.js";

const MAIN = join(import.meta.dirname, "../dist/main.js");
const PROBE = join(import.meta.dirname, "probe.js");
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
/** Time limit for the response of a service with a blocked event loop. */
const PROBE_TIMEOUT_MS = 120_000;

/** Measurements of the probe inside the service since the last request. */
export interface ProbeFigures {
  longestDelayMs: number;
  peakMemoryMb: number;
  /** Processor time of all threads since the start, s. */
  processorS: number;
}

/** The built service in a separate process. */
export interface BuiltService {
  url: string;
  /** Runs an operator command. @returns its output as JSON */
  command(...args: string[]): Promise<unknown>;
  /** @throws Error when the service has ended or does not respond */
  figures(): Promise<ProbeFigures>;
  /** Current resident memory, MB. Resets the peak. NaN if the system does not report it. */
  markMemory(): number;
  /** Peak of the resident memory since the last reset, MB. */
  peakMemory(): number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ends all services immediately. */
export function killBuiltServices(): void {
  for (const child of running) child.kill("SIGKILL");
}

/**
 * Starts the service with default settings and the allocator settings of a deployment, except that
 * webhooks may call this machine.
 * @param databaseUrl URL of a PostgreSQL database; null for an embedded one in `dataDir`
 * @param settings variables that replace defaults
 */
export async function startBuiltService(
  dataDir: string,
  databaseUrl: string | null,
  settings: Readonly<Record<string, string>> = {},
): Promise<BuiltService> {
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    TMPDIR: process.env.TMPDIR,
    ...allocatorSettings(),
    DATA_DIR: dataDir,
    PORT: "0",
    METRICS_PORT: "0",
    LOG_LEVEL: "error",
    // The receivers listen on this machine.
    WEBHOOK_ALLOW_PRIVATE: "true",
    ...settings,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  };
  const child = spawn(process.execPath, ["--import", PROBE, MAIN], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  running.add(child);
  const exited = once(child, "exit").then(() => running.delete(child));
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`does not listen: ${output}`)), START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      // Attacks may cause many errors, so keep only the end of the output.
      output = (output + chunk).slice(-10_000);
      const found = /listens on (http:\/\/[^\s;"]+)/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`The service ended with ${code}: ${output}`)));
  });
  return {
    url,
    async command(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, "--json"], { env });
      return JSON.parse(stdout);
    },
    async figures() {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`The service ended with ${child.exitCode ?? child.signalCode}: ${output}`);
      }
      child.send("figures");
      const [figures] = await once(child, "message", { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      return figures as ProbeFigures;
    },
    markMemory() {
      resetPeak(child.pid);
      return residentMb(child.pid, "current");
    },
    peakMemory: () => residentMb(child.pid, "peak"),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
