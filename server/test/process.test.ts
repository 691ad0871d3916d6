/** The built service as an operator runs it: processes, signals, commands. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { newScratchFolder } from "./scratch.js";
import { newStore } from "./service.js";

const MAIN = join(import.meta.dirname, "../dist/main.js");
const isPostgres = process.env.TEST_DATABASE === "postgres";

let folder: string;
let env: Record<string, string>;
const started = new Set<ChildProcess>();

beforeAll(async () => {
  folder = newScratchFolder();
  const dataDir = join(folder, "data");
  env = { PATH: process.env.PATH ?? "", DATA_DIR: dataDir, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "warn" };
  if (isPostgres) {
    const store = await newStore();
    env.DATABASE_URL = store.databaseUrl ?? "";
    await store.close();
  } else {
    cpSync(inject("embeddedTemplate"), join(dataDir, "database"), { recursive: true });
  }
});

afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

interface Running {
  child: ChildProcess;
  url: string;
  output: () => string;
  exited: Promise<number | null>;
}

function serve(args: string[] = [], more: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...env, ...more } });
  started.add(child);
  let output = "";
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const url = /listens on (http:\S+);/.exec(output)?.[1];
      if (url !== undefined) resolve({ child, url, output: () => output, exited });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
}

const run = promisify(execFile);
const command = async (...args: string[]) =>
  JSON.parse((await run(process.execPath, [MAIN, ...args, "--json"], { env })).stdout);
const refusal = async (...args: string[]): Promise<string> =>
  run(process.execPath, [MAIN, ...args], { env }).then(
    () => "no refusal",
    (error: { stderr: string }) => error.stderr,
  );

// Each command is a process of its own, which takes a second on an idle machine and many on a busy one.
describe("the service as a process", { timeout: 120_000 }, () => {
  it("serves, takes the operator's commands meanwhile, and ends cleanly on SIGTERM", async () => {
    const { url, child, exited, output } = await serve();
    expect(output()).toContain(`documentation: ${url}/api/docs/`);
    const client = await command("app", "create", "--name", "Coach");
    expect(client).toEqual({ client_id: expect.any(String), client_secret: expect.any(String) });
    await command("device", "add", "--serial-number", "S1", "--device-name", "N1", "--device-type", "T");
    const csv = join(folder, "devices.csv");
    writeFileSync(csv, 'serial_number,device_name,device_type\nS2,"N, 2",T\nS3,N3,T\n');
    expect(await command("device", "import", csv)).toEqual({ added: 2 });

    const json = (body: unknown, token?: string) => ({
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    const password = "a long passphrase";
    await fetch(`${url}/api/v1/managers/`, json({ username: "ann", email: "ann@example.org", password }));
    const form = new URLSearchParams({ grant_type: "password", username: "ann", password, ...client });
    const token = (await (await fetch(`${url}/oauth2/token/`, { method: "POST", body: form })).json())
      .access_token;
    const took = await fetch(
      `${url}/api/v1/devices/take-ownership/`,
      json({ serial_number: "S2", device_name: "N, 2" }, token),
    );
    expect(took.status).toBe(201);

    expect(await command("ownership", "backdate", "S2", "--start", "2024-01-01T00:00:00Z")).toMatchObject({
      start_time: "2024-01-01T00:00:00.000Z",
    });
    expect(await command("device", "report-start", "S2", "--firmware-version", "3")).toMatchObject({
      current: {},
    });
    expect(await command("manager", "grant", "ann")).toMatchObject({ username: "ann" });
    expect(await refusal("manager", "grant", "nobody")).toContain("There is no account nobody.");
    expect(await refusal("ownership", "backdate", "S1", "--start", "2024-01-01T00:00:00Z")).toContain(
      "never been owned",
    );

    const headers = { Authorization: `Bearer ${token}` };
    const account = await (await fetch(`${url}/api/v1/account/`, { headers })).json();
    expect(account.extra_permissions).toEqual(["can_create_managed_athletes"]);
    await command("token", "revoke", "ann");
    expect((await fetch(`${url}/api/v1/account/`, { headers })).status).toBe(403);

    const file = join(folder, "backup.gz");
    expect((await command("backup", file)).rows).toBeGreaterThan(5);
    expect(await refusal("restore", file)).toMatch(/is running|is in use/);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect((await command("restore", file)).rows).toBeGreaterThan(5);
    if (!isPostgres) expect(existsSync(join(env.DATA_DIR ?? "", "lock"))).toBe(false);
  });

  it("goes on after it was killed, and lets no second process into the folder", async () => {
    const first = await serve();
    if (!isPostgres) {
      await expect(serve()).rejects.toThrow(/in use by process \d+/);
      const socket = join(env.DATA_DIR ?? "", "operator.sock");
      expect((statSync(socket).mode & 0o777).toString(8)).toBe("600");
      expect((statSync(env.DATA_DIR ?? "").mode & 0o777).toString(8)).toBe("700");
    }
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await serve();
    expect((await fetch(`${second.url}/health/ready/`)).status).toBe(200);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });

  it("finishes what was begun before it ends", async () => {
    const { url, child, exited } = await serve();
    const { port, hostname } = new URL(url);
    const { connect } = await import("node:net");
    const body = JSON.stringify({
      username: "late",
      email: "late@example.org",
      password: "a long passphrase",
    });
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.write(
      `POST /api/v1/managers/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.write(body.slice(10));
    await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await exited).toBe(0);
  });

  it("prepares a demonstration and says what to type", async () => {
    const { child, exited, output } = await serve(["--demo"]);
    for (let tries = 0; !output().includes("/api/v1/devices/") && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const typed = output().slice(output().indexOf("TOKEN="));
    const { stdout } = await run("bash", ["-c", typed]);
    expect(JSON.parse(stdout)).toMatchObject({ count: 601, results: { length: 5 } });
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });

  it("lists its settings, and names each that is wrong", async () => {
    const list = await command("config");
    expect(list).toContainEqual(expect.objectContaining({ variable: "PORT", default: "8080", value: "0" }));
    const wrong = await run(process.execPath, [MAIN], {
      env: { ...env, PORT: "x", LOG_LEVEL: "loud" },
    }).catch((error: { stderr: string }) => error.stderr);
    expect(wrong).toContain("PORT: expected a whole number from 0 to 65535");
    expect(wrong).toContain("LOG_LEVEL: expected trace");
    if (!isPostgres) expect(await refusal("serve", "--role", "api")).toContain("needs DATABASE_URL");
  });
});
