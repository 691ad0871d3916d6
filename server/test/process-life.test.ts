/** Tests the start and the end of a process of the service, as seen in the log and by an orchestrator. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { OPERATOR_SOCKET } from "../src/operator/socket-client.js";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { stopAfterTest } from "./cleanup.js";
import { Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

/** Time limit that is longer than any orderly shutdown on a busy machine, and shorter than the time limit of a request. */
const PATIENCE_MS = 40_000;

interface Line {
  msg: string;
  level: number;
  [field: string]: unknown;
}

const linesOf = (output: string): Line[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

describe("a process of the service", { timeout: 120_000 }, () => {
  it("shuts down cleanly after two signals, from Ctrl-C and from its supervisor", async () => {
    const processes = await Processes.onNewDatabase({ LOG_LEVEL: "info" });
    const { pid, terminate, output } = await processes.start();
    process.kill(pid, "SIGINT");
    expect(await terminate()).toBe(0);
    const told = linesOf(output()).filter(({ msg }) => msg === "signal received");
    expect(told.map(({ signal }) => signal).sort()).toEqual(["SIGINT", "SIGTERM"]);
    expect(linesOf(output()).filter(({ level }) => level >= 50)).toEqual([]);
  });

  it("logs its start, its readiness, the signal to end, and its end", async () => {
    const processes = await Processes.onNewDatabase({ LOG_LEVEL: "info" });
    const { url, terminate, output } = await processes.start();
    expect(await terminate()).toBe(0);
    // The web framework logs its own messages.
    const lines = linesOf(output()).filter(({ msg }) => !msg.startsWith("Server listening"));
    expect(lines.map(({ msg }) => msg)).toEqual([
      "starting",
      "ready",
      "signal received",
      "stopping",
      "stopped",
    ]);
    expect(lines[0]).toMatchObject({ role: "all", database: isPostgres ? "postgres" : "embedded" });
    expect(lines[1]).toMatchObject({ url });
    expect(lines[2]).toMatchObject({ signal: "SIGTERM" });
  });

  it("aborts a request that does not end in SHUTDOWN_TIMEOUT_MS, logs this, and ends", async () => {
    const processes = await Processes.onNewDatabase({
      SHUTDOWN_TIMEOUT_MS: "1000",
      // No other timeout ends the request during the test.
      REQUEST_TIMEOUT_MS: "600000",
      TRANSFER_GRACE_MS: "600000",
    });
    const { url, terminate, output } = await processes.start();
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    stopAfterTest(async () => {
      socket.destroy();
    });
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    // The body never arrives completely. The response to Expect shows that the service has read the headers.
    socket.write(
      "POST /api/v1/managers/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{",
    );
    await once(socket, "data");
    const ended = await Promise.race([terminate(), sleep(PATIENCE_MS, "still running", { ref: false })]);
    expect(ended).toBe(0);
    await closed;
    expect(output()).toContain("running requests aborted");
  });

  it.skipIf(isPostgres)(
    "aborts an operator command that does not end in SHUTDOWN_TIMEOUT_MS, and ends",
    async () => {
      const processes = await Processes.onNewDatabase({ SHUTDOWN_TIMEOUT_MS: "1000" });
      const { terminate } = await processes.start();
      const socket = connect(join(processes.dataDir, OPERATOR_SOCKET));
      stopAfterTest(async () => {
        socket.destroy();
      });
      socket.on("error", () => undefined);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      // The command never arrives completely.
      socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{");
      await once(socket, "data");
      expect(await Promise.race([terminate(), sleep(PATIENCE_MS, "still running", { ref: false })])).toBe(0);
      await closed;
    },
  );

  it("ends immediately if its clients have sent no request, half of the headers, or no further request after a response", async () => {
    const processes = await Processes.onNewDatabase({ SHUTDOWN_TIMEOUT_MS: "30000" });
    const { url, terminate, output } = await processes.start();
    const { port, hostname } = new URL(url);
    const open = async (sent: string, socket = connect(Number(port), hostname)) => {
      socket.on("error", () => undefined);
      stopAfterTest(async () => {
        socket.destroy();
      });
      await once(socket, "connect");
      const closed = once(socket, "close");
      const first = once(socket, "data");
      first.catch(() => undefined);
      // A socket detects its end only if its data are read.
      socket.resume().write(sent);
      return { first, closed };
    };
    const health = "GET /health/live/ HTTP/1.1\r\nHost: a\r\n";
    const answered = await open(`${health}\r\n`);
    const [answer] = await answered.first;
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    const unused = [
      answered,
      await open(""),
      await open(health),
      await open("GET /hea"),
      await open("\x16\x03\x01"),
    ];
    // With the embedded database, operator commands arrive on a socket.
    if (!isPostgres) unused.unshift(await open("", connect(join(processes.dataDir, OPERATOR_SOCKET))));
    // The last connection is refused because its bytes are not HTTP, so the data of all previous ones have been read.
    await unused.at(-1)?.closed;
    expect(await terminate()).toBe(0);
    await Promise.all(unused.map(({ closed }) => closed));
    expect(output()).not.toContain("running requests aborted");
  });

  it.runIf(isPostgres)(
    "also reports its health on METRICS_PORT, which is the only port of a worker",
    async () => {
      const port = await freePort();
      const processes = await Processes.onNewDatabase({ METRICS_PORT: String(port) });
      const worker = await processes.start("--role", "worker");
      const at = async (path: string) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        return [response.status, response.ok ? await response.text() : ""];
      };
      expect(await at("/health/live/")).toEqual([200, '{"status":"ok"}']);
      expect(await at("/health/ready/")).toEqual([200, '{"status":"ok"}']);
      expect(await at("/metrics")).toEqual([200, expect.stringContaining("asi_job_runs_total")]);
      expect(await at("/api/v1/account/")).toEqual([404, ""]);
      expect(await worker.terminate()).toBe(0);
    },
  );

  it.runIf(isPostgres)("reports with a message, not a stack, that it cannot create its tables", async () => {
    const processes = await Processes.onNewDatabase();
    const url = new URL(processes.env.DATABASE_URL ?? "");
    const admin = new pg.Client(url.href);
    await admin.connect();
    stopAfterTest(() => admin.end());
    const name = `empty_${randomBytes(4).toString("hex")}`;
    await admin.query(`CREATE ROLE ${name} LOGIN`);
    await admin.query(`CREATE DATABASE ${name}`);
    url.pathname = name;
    url.username = name;
    const refusal = await processes.refusal([], { DATABASE_URL: url.href });
    expect(refusal).toMatch(/^The database user may not apply .* Grant it CREATE on the schema/);
    expect(refusal.trim().split("\n")).toHaveLength(1);
  });

  it.runIf(isPostgres)("refuses the database of a newer release with a message", async () => {
    const processes = await Processes.onNewDatabase();
    // This command creates the tables.
    await processes.command("app", "create", "--name", "Coach");
    const admin = new pg.Client(processes.env.DATABASE_URL);
    await admin.connect();
    stopAfterTest(() => admin.end());
    await admin.query("INSERT INTO migrations (name) VALUES ('9999-of-tomorrow')");
    expect(await processes.refusal([])).toMatch(
      /^The database belongs to a newer release: .*9999-of-tomorrow.*\n$/,
    );
  });

  it("logs an uncaught error without the parameters of a statement", async () => {
    const thrower = join(newScratchFolder(), "thrower.mjs");
    writeFileSync(
      thrower,
      `import { isMainThread } from "node:worker_threads";
      const fail = () => {
        const message = "Failed query: SELECT $1 params: secret-42";
        throw Object.assign(new Error(message), { query: "SELECT $1", params: ["secret-42"] });
      };
      const isStarted = () => process.listenerCount("uncaughtException") > 0;
      if (isMainThread) setInterval(() => isStarted() && fail(), 10);`,
    );
    const processes = await Processes.onNewDatabase();
    const said = await processes.refusal([], { NODE_OPTIONS: `--import=${pathToFileURL(thrower)}` });
    expect(said).toContain("The query failed.");
    expect(said).not.toContain("secret-42");
  });
});
