/** The built service in a process of its own, to be killed. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { newStore } from "../service.js";

const MAIN = join(import.meta.dirname, "../../dist/main.js");
const run = promisify(execFile);

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape, and fail when they err
  body: any;
}

export class ServiceProcess {
  readonly folder = mkdtempSync(join(tmpdir(), "asi-kill-"));
  readonly dataDir = join(this.folder, "data");
  readonly #env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: this.dataDir,
    PORT: "0",
    METRICS_PORT: "0",
    LOG_LEVEL: "error",
    // So that a job whose worker was killed is begun again while the test waits.
    JOB_LEASE_MS: "2000",
    JOB_POLL_MS: "200",
  };
  #child: ChildProcess | undefined;
  url = "";
  token = "";

  /** On the database of the test run, empty and migrated. */
  static async create(): Promise<ServiceProcess> {
    const service = new ServiceProcess();
    if (process.env.TEST_DATABASE === "postgres") {
      const store = await newStore();
      service.#env.DATABASE_URL = store.databaseUrl ?? "";
      await store.close();
    } else {
      cpSync(inject("embeddedTemplate"), join(service.dataDir, "database"), { recursive: true });
    }
    await service.start();
    return service;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [MAIN], { env: this.#env });
    this.#child = child;
    let output = "";
    this.url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        const url = /listens on (http:\S+);/.exec(output)?.[1];
        if (url !== undefined) resolve(url);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${output}`)));
    });
  }

  /** SIGKILL: no chance to tidy up. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }

  async destroy(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async command(...args: string[]) {
    return JSON.parse((await run(process.execPath, [MAIN, ...args, "--json"], { env: this.#env })).stdout);
  }

  async send(method: string, path: string, json?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token === "" ? {} : { Authorization: `Bearer ${this.token}` }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Registers a manager, logs in, and takes a new device, owned since long ago. @returns the device's id */
  async prepare(serial: string): Promise<number> {
    const app = await this.command("app", "create", "--name", "kill");
    const username = "ann";
    const password = "correct horse battery";
    await this.send("POST", "/api/v1/managers/", { username, password, email: "ann@example.org" });
    const response = await fetch(`${this.url}/oauth2/token/`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "password",
        username,
        password,
        client_id: app.client_id,
        client_secret: app.client_secret,
      }),
    });
    this.token = ((await response.json()) as { access_token: string }).access_token;
    await this.command(
      "device",
      "add",
      "--serial-number",
      serial,
      "--device-name",
      "kill",
      "--device-type",
      "T1",
    );
    const device = await this.send("POST", "/api/v1/devices/take-ownership/", {
      serial_number: serial,
      device_name: "kill",
    });
    await this.command("ownership", "backdate", serial, "--start", "2020-01-01T00:00:00Z");
    return device.body.id;
  }
}
