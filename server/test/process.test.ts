/** Tests the built service as an operator runs it: processes, signals, commands. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { canMount, mountMemory } from "./mounts.js";
import { Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

let processes: Processes;

beforeEach(async () => {
  processes = await Processes.onNewDatabase();
});

// Each command is a separate process, which takes a second on an idle machine and many seconds on a busy one.
describe("the service as a process", { timeout: 120_000 }, () => {
  it("serves requests, accepts operator commands, and shuts down cleanly on SIGTERM", async () => {
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
    await command("session", "revoke", "ann");
    expect((await fetch(`${url}/api/v1/account/`, { headers })).status).toBe(403);

    const file = join(newScratchFolder(), "backup.gz");
    expect((await command("backup", file)).rows).toBeGreaterThan(5);
    const again = await refusal("backup", file);
    expect(again).toContain("already exists");
    expect(/^The backup first copies the embedded database \([1-9]\d* MB\)\./.test(again)).toBe(!isPostgres);
    expect(await refusal("restore", file)).toMatch(/is running|is in use/);
    expect(await terminate()).toBe(0);
    expect((await command("restore", file)).rows).toBeGreaterThan(5);
    if (!isPostgres)
      expect(readdirSync(processes.dataDir).filter((name) => name.startsWith("lock"))).toEqual([]);
  });

  it("logs the address for clients at its start if it differs from its own", async () => {
    const { url, output } = await processes.startWith({ BASE_URL: "https://asi.example.org/records" });
    expect(output()).toContain(
      `listens on ${url}; clients reach it at https://asi.example.org/records; viewer: https://asi.example.org/records/; documentation: https://asi.example.org/records/api/docs/\n`,
    );
  });

  it("continues after it has been killed, and locks the folder", async () => {
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

  it("completes running work before it ends", async () => {
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
      `POST /api/v1/managers/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 10)}`,
    );
    // The service has read the headers.
    await expect.poll(() => answer).toContain("100 Continue");
    const exited = terminate();
    await sleep(100);
    socket.write(body.slice(10));
    await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    expect(await exited).toBe(0);
  });

  it("prepares a demonstration and shows the next commands", async () => {
    const { terminate, output } = await processes.start("--demo");
    await expect.poll(output).toMatch(/preprocessed-data\/.*\n/);
    const typed = output().slice(output().indexOf("TOKEN="));
    const { stdout } = await promisify(execFile)("bash", ["-c", typed]);
    expect(JSON.parse(stdout)).toMatchObject({ count: 601, results: { length: 5 } });
    expect(await terminate()).toBe(0);
  });

  it("lists its settings, and reports each invalid one", async () => {
    const list = await processes.command("config");
    expect(list).toContainEqual(expect.objectContaining({ variable: "PORT", default: "8080", value: "0" }));
    const wrong = await processes.refusal([], { PORT: "x", LOG_LEVEL: "loud" });
    expect(wrong).toContain("PORT: expected a whole number from 0 to 65535");
    expect(wrong).toContain("LOG_LEVEL: expected trace");
    expect(await processes.refusal([], { TRUST_PROXY: "10.0.0.0/8, foo" })).toContain(
      'TRUST_PROXY: "foo": expected IP addresses',
    );
    if (!isPostgres) {
      expect(await processes.refusal(["serve", "--role", "api"])).toContain("needs DATABASE_URL");
    }
  });

  it("exits if it cannot listen, names the setting, and leaves no files", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const taken = String((other.address() as AddressInfo).port);
    try {
      const port = await processes.refusal([], { PORT: taken });
      expect(port).toContain("EADDRINUSE");
      expect(port).toContain("Change HOST or PORT.");
      expect(await processes.refusal([], { METRICS_PORT: taken })).toContain("Change HOST or METRICS_PORT.");
      expect(await processes.refusal([], { PORT: "9999", METRICS_PORT: "9999" })).toContain(
        "METRICS_PORT: expected a port other than PORT",
      );
    } finally {
      other.close();
    }
    const { terminate } = await processes.start();
    expect(await terminate()).toBe(0);
  });

  it("prints errors as text or, on request, as JSON, and reports an unknown command", async () => {
    const args = ["device", "add", "--serial-number", "-x", "--device-name", "n", "--device-type", "t"];
    const words = await processes.refusal(args);
    expect(words).toContain('serial_number: "-x": letters');
    expect(JSON.parse(await processes.refusal([...args, "--json"]))).toEqual({
      serial_number: [expect.stringContaining("letters")],
    });
    expect(JSON.parse(await processes.refusal(["restore", "/nowhere", "--json"]))).toEqual({
      detail: "There is no file /nowhere.",
    });
    const unknown = await processes.refusal(["bakup", "file"]);
    expect(unknown).toContain("unknown command 'bakup'");
    expect(unknown).toContain("Did you mean backup?");
  });

  it.runIf(!isPostgres && canMount)("reports at the first start that the disk is full", async () => {
    const folder = newScratchFolder();
    mountMemory(folder);
    expect(await processes.refusal([], { DATA_DIR: folder })).toMatch(
      /^The embedded database cannot be opened in .*: no space left on the device\./,
    );
  });

  it("names the setting that prevents access to its data", async () => {
    const file = join(newScratchFolder(), "file");
    writeFileSync(file, "");
    expect(await processes.refusal([], { DATA_DIR: file })).toMatch(
      /^The data folder cannot be created.*DATA_DIR/,
    );
    const nobody = await processes.refusal([], { DATABASE_URL: "postgres://postgres@127.0.0.1:1/asi" });
    expect(nobody).toMatch(/^The database of DATABASE_URL cannot be reached: .*ECONNREFUSED/);
    if (isPostgres) {
      const url = processes.env.DATABASE_URL ?? "";
      const wrong = (DATABASE_URL: string) => processes.refusal([], { DATABASE_URL });
      const refused = /^The server of DATABASE_URL refuses the connection: .* Correct the user, the password/;
      expect(await wrong(url.replace("postgres@", "no_such_user@"))).toMatch(refused);
      expect(await wrong(`${url}_missing`)).toMatch(refused);
    }
    if (!isPostgres) {
      const note = await processes.refusal(["manager", "grant", "ann"], { DATA_DIR: newScratchFolder() });
      expect(note).toContain("creating a new database");
    }
  });

  it("ignores a file that is missing or has another format", async () => {
    const folder = newScratchFolder();
    const imported = (content: string) => {
      const csv = join(folder, "devices.csv");
      writeFileSync(csv, content);
      return processes.refusal(["device", "import", csv]);
    };
    expect(await imported("S1,N1,T\n")).toContain("Expected a first line with the columns");
    expect(await imported("serial_number,device_name,device_type\nS1,N1,T\nS2,,T\n\n")).toContain(
      "The device S2 has no name.",
    );
    const missing = join(folder, "missing");
    expect(await processes.refusal(["device", "import", missing])).toMatch(
      /^The file cannot be read: ENOENT/,
    );
    expect(await processes.refusal(["restore", missing])).toBe(`There is no file ${missing}.\n`);
  });
});
