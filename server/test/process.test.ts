/** The built service as an operator runs it: processes, signals, commands. */
import { execFile } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

let processes: Processes;

beforeEach(async () => {
  processes = await Processes.onNewDatabase();
});

// Each command is a process of its own, which takes a second on an idle machine and many on a busy one.
describe("the service as a process", { timeout: 120_000 }, () => {
  it("serves, takes the operator's commands meanwhile, and ends cleanly on SIGTERM", async () => {
    const { url, terminate, output } = await processes.start();
    const command = processes.command.bind(processes);
    const refusal = (...args: string[]) => processes.refusal(args);
    expect(output()).toContain(`documentation: ${url}/api/docs/`);
    const client = await command("app", "create", "--name", "Coach");
    expect(client).toEqual({ client_id: expect.any(String), client_secret: expect.any(String) });
    await command("device", "add", "--serial-number", "S1", "--device-name", "N1", "--device-type", "T");
    const csv = join(newScratchFolder(), "devices.csv");
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

    const file = join(newScratchFolder(), "backup.gz");
    expect((await command("backup", file)).rows).toBeGreaterThan(5);
    expect(await refusal("restore", file)).toMatch(/is running|is in use/);
    expect(await terminate()).toBe(0);
    expect((await command("restore", file)).rows).toBeGreaterThan(5);
    if (!isPostgres) expect(existsSync(join(processes.dataDir, "lock"))).toBe(false);
  });

  it("goes on after it was killed, and lets no second process into the folder", async () => {
    const first = await processes.start();
    if (!isPostgres) {
      await expect(processes.start()).rejects.toThrow(/in use by process \d+/);
      const socket = join(processes.dataDir, "operator.sock");
      expect((statSync(socket).mode & 0o777).toString(8)).toBe("600");
      expect((statSync(processes.dataDir).mode & 0o777).toString(8)).toBe("700");
    }
    await first.kill();
    const second = await processes.start();
    expect((await fetch(`${second.url}/health/ready/`)).status).toBe(200);
    expect(await second.terminate()).toBe(0);
  });

  it("finishes what was begun before it ends", async () => {
    const { url, terminate } = await processes.start();
    const { port, hostname } = new URL(url);
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
    await sleep(100);
    const exited = terminate();
    await sleep(100);
    socket.write(body.slice(10));
    await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await exited).toBe(0);
  });

  it("prepares a demonstration and says what to type", async () => {
    const { terminate, output } = await processes.start("--demo");
    for (let tries = 0; !output().includes("/api/v1/devices/") && tries < 100; tries++) {
      await sleep(50);
    }
    const typed = output().slice(output().indexOf("TOKEN="));
    const { stdout } = await promisify(execFile)("bash", ["-c", typed]);
    expect(JSON.parse(stdout)).toMatchObject({ count: 601, results: { length: 5 } });
    expect(await terminate()).toBe(0);
  });

  it("lists its settings, and names each that is wrong", async () => {
    const list = await processes.command("config");
    expect(list).toContainEqual(expect.objectContaining({ variable: "PORT", default: "8080", value: "0" }));
    const wrong = await processes.refusal([], { PORT: "x", LOG_LEVEL: "loud" });
    expect(wrong).toContain("PORT: expected a whole number from 0 to 65535");
    expect(wrong).toContain("LOG_LEVEL: expected trace");
    if (!isPostgres) {
      expect(await processes.refusal(["serve", "--role", "api"])).toContain("needs DATABASE_URL");
    }
  });
});
