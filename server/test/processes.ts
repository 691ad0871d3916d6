/** The built service as real processes on one database: several at once, killed and started again. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { newScratchFolder } from "./scratch.js";
import { type Answer, newStore } from "./service.js";

const MAIN = join(import.meta.dirname, "../dist/main.js");

export interface RunningProcess {
  url: string;
  /** SIGKILL; returns when the process is gone. */
  kill(): Promise<void>;
  send(method: string, path: string, token?: string, json?: unknown): Promise<Answer>;
}

/** A new database and the settings of the processes on it. */
export class Processes {
  readonly env: Readonly<Record<string, string>>;
  readonly #started = new Set<ChildProcess>();

  private constructor(env: Record<string, string>) {
    this.env = env;
  }

  static async onNewDatabase(settings: Record<string, string> = {}): Promise<Processes> {
    const dataDir = join(newScratchFolder(), "data");
    const env: Record<string, string> = {
      PATH: process.env.PATH ?? "",
      DATA_DIR: dataDir,
      PORT: "0",
      METRICS_PORT: "0",
      LOG_LEVEL: "warn",
      ...settings,
    };
    if (process.env.TEST_DATABASE === "postgres") {
      const store = await newStore();
      env.DATABASE_URL = store.databaseUrl ?? "";
      await store.close();
    } else {
      cpSync(inject("embeddedTemplate"), join(dataDir, "database"), { recursive: true });
    }
    return new Processes(env);
  }

  async start(...args: string[]): Promise<RunningProcess> {
    const child = spawn(process.execPath, [MAIN, ...args], { env: this.env });
    this.#started.add(child);
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    let output = "";
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        const found = /listens on (http:\S+);/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${output}`)));
    });
    return {
      url,
      kill: async () => {
        child.kill("SIGKILL");
        await exited;
        this.#started.delete(child);
      },
      async send(method, path, token, json) {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            // A kept connection may be one to a process that was killed.
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

  /** Runs a command of the operator's. @returns what it prints as JSON */
  async command(...args: string[]) {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, "--json"], {
      env: this.env,
    });
    return JSON.parse(stdout);
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

  /** Kills whatever still runs. */
  async end(): Promise<void> {
    for (const child of this.#started) child.kill("SIGKILL");
  }
}
