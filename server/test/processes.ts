/** Runs the built service as real processes on one database, several at the same time, and kills and restarts them. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { inject } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import { newStore } from "./databases.js";
import { newScratchFolder } from "./scratch.js";
import type { Answer } from "./service.js";

export const MAIN = join(import.meta.dirname, "../dist/main.js");

/** Time limit for a start, which takes one or two seconds on an idle machine. */
const START_TIMEOUT_MS = 60_000;

const run = promisify(execFile);

export interface RunningProcess {
  url: string;
  pid: number;
  /** Output so far. */
  output(): string;
  /** Sends SIGTERM. @returns the exit status */
  terminate(): Promise<number | null>;
  /** Resolves to the exit status when the process ends; null after a signal. */
  exited: Promise<number | null>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  send(method: string, path: string, token?: string, json?: unknown): Promise<Answer>;
}

/** A new database and the settings of its processes. Processes that are created within a test end with the test. */
export class Processes {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #started = new Map<ChildProcess, Promise<number | null>>();

  private constructor(dataDir: string, env: Record<string, string>) {
    this.dataDir = dataDir;
    this.env = env;
  }

  static async onNewDatabase(settings: Record<string, string> = {}): Promise<Processes> {
    const dataDir = settings.DATA_DIR ?? join(newScratchFolder(), "data");
    const env: Record<string, string> = {
      PATH: process.env.PATH ?? "",
      TMPDIR: tmpdir(),
      DATA_DIR: dataDir,
      PORT: "0",
      METRICS_PORT: "0",
      LOG_LEVEL: "warn",
      ...settings,
    };
    if (settings.DATABASE_URL !== undefined) {
      // The caller has set the database.
    } else if (process.env.TEST_DATABASE === "postgres") {
      const store = await newStore();
      env.DATABASE_URL = store.databaseUrl ?? "";
      await store.close();
    } else if (!existsSync(join(dataDir, "database"))) {
      cpSync(join(inject("embeddedTemplates"), "migrated"), join(dataDir, "database"), { recursive: true });
    }
    const processes = new Processes(dataDir, env);
    stopAfterTest(() => processes.end());
    return processes;
  }

  /** Starts a process, and waits until it listens. */
  async start(...args: string[]): Promise<RunningProcess> {
    return this.startWith({}, ...args);
  }

  /** Starts a process with additional settings, and waits until it listens. */
  async startWith(settings: Record<string, string>, ...args: string[]): Promise<RunningProcess> {
    const isWorker = args.includes("worker");
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...this.env, ...(isWorker ? { LOG_LEVEL: "info" } : {}), ...settings },
    });

    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    this.#started.set(child, exited);
    exited.then(() => this.#started.delete(child));
    let output = "";
    const url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`does not listen after ${START_TIMEOUT_MS} ms: ${output}`)),
        START_TIMEOUT_MS,
      );
      const read = (chunk: Buffer) => {
        output += chunk;
        // A worker prints no address.
        const found = isWorker
          ? /"msg":"(ready)"/.exec(output)?.[1]
          : /listens on (http:\S+);/.exec(output)?.[1];
        if (found === undefined) return;
        clearTimeout(late);
        resolve(found);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => {
        clearTimeout(late);
        reject(new Error(`ended with ${code}: ${output}`));
      });
    });
    return {
      url,
      pid: child.pid ?? 0,
      output: () => output,
      exited,
      async terminate() {
        child.kill("SIGTERM");
        return exited;
      },
      async kill() {
        child.kill("SIGKILL");
        await exited;
      },
      async send(method, path, token, json) {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            // A kept-alive connection may belong to a process that was killed.
            Connection: "close",
            ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
            ...(json === undefined ? {} : { "Content-Type": "application/json" }),
          },
          ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        });
        const text = await response.text();
        return {
          status: response.status,
          headers: response.headers,
          body: text === "" ? "" : JSON.parse(text),
        };
      },
    };
  }

  /** Runs an operator command. @returns its output as JSON */
  async command(...args: string[]) {
    return JSON.parse((await run(process.execPath, [MAIN, ...args, "--json"], { env: this.env })).stdout);
  }

  /** Runs a command that must be refused. @returns its output on stderr */
  async refusal(args: string[], settings: Record<string, string> = {}): Promise<string> {
    return run(process.execPath, [MAIN, ...args], { env: { ...this.env, ...settings } }).then(
      () => "no refusal",
      (error: { stderr: string }) => error.stderr,
    );
  }

  /** Opens a connection to the PostgreSQL database of the processes; the caller must end it. */
  async query(): Promise<pg.Client> {
    const client = new pg.Client(this.env.DATABASE_URL);
    await client.connect();
    return client;
  }

  /** Registers a manager with a running process and logs in. */
  async manager({ url, send }: RunningProcess, username: string) {
    const client = await this.command("app", "create", "--name", username);
    const password = "a long passphrase";
    const { body } = await send("POST", "/api/v1/managers/", undefined, {
      username,
      email: `${username}@example.org`,
      password,
    });
    const form = new URLSearchParams({ grant_type: "password", username, password, ...client });
    const answer = await fetch(`${url}/oauth2/token/`, { method: "POST", body: form });
    return { id: body.id as number, token: (await answer.json()).access_token as string };
  }

  /** Adds a device that a manager has owned for a long time. @returns its id */
  async ownedDevice({ send }: RunningProcess, token: string, serial: string): Promise<number> {
    const names = ["--device-name", "tracker", "--device-type", "T1"];
    await this.command("device", "add", "--serial-number", serial, ...names);
    const { body } = await send("POST", "/api/v1/devices/take-ownership/", token, {
      serial_number: serial,
      device_name: "tracker",
    });
    await this.command("ownership", "backdate", serial, "--start", "2020-01-01T00:00:00Z");
    return body.id;
  }

  /** Kills the remaining processes. */
  async end(): Promise<void> {
    for (const child of this.#started.keys()) child.kill("SIGKILL");
    await Promise.all(this.#started.values());
  }
}
