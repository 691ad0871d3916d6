/** Tests the service behind real proxies, configured as in docs/proxy.md, with TLS and a path prefix. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { request } from "node:https";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, FormData, type RequestInit as Init, fetch as undiciFetch } from "undici";
import { describe, expect, it } from "vitest";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { stopAfterTest } from "./cleanup.js";
import { Processes } from "./processes.js";
import { walk } from "./recordings.js";
import { newScratchFolder } from "./scratch.js";
import { SocketClient } from "./web-socket-client.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/proxy.md"), "utf8");

/** Returns the example of the page in a language, with the names for this test. */
function example(language: string, replacements: readonly [from: string, to: string][]): string {
  const text = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(PAGE)?.[1] ?? "";
  return replacements.reduce((changed, [from, to]) => {
    expect(changed).toContain(from);
    return changed.replaceAll(from, to);
  }, text);
}

interface Setup {
  folder: string;
  port: number;
  servicePort: number;
}

const certificate = (folder: string) => {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const options = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...options, ...subject, "-keyout", key, "-out", cert], { stdio: "pipe" });
  return { cert, key };
};

const proxies = {
  nginx({ folder, port, servicePort }: Setup): string[] {
    const { cert, key } = certificate(folder);
    const server = example("nginx", [
      ["listen 443", `listen 127.0.0.1:${port}`],
      ["sports.example.org;", "localhost;"],
      ["/etc/ssl/sports.example.org/fullchain.pem", cert],
      ["/etc/ssl/sports.example.org/key.pem", key],
      ["127.0.0.1:8080", `127.0.0.1:${servicePort}`],
    ]);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `daemon off; pid ${join(folder, "pid")}; error_log stderr; events {}
http { access_log off; ${temporary.join(" ")}
${server} }`,
    );
    return ["nginx", "-p", folder, "-e", "stderr", "-c", file];
  },

  caddy({ folder, port, servicePort }: Setup): string[] {
    const { cert, key } = certificate(folder);
    const site = example("caddyfile", [
      ["sports.example.org {", `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`],
      ["127.0.0.1:8080", `127.0.0.1:${servicePort}`],
    ]);
    const file = join(folder, "Caddyfile");
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
    return ["caddy", "run", "--adapter", "caddyfile", "--config", file];
  },
};

const isInstalled = (name: string) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

/** Starts the service and a proxy in front of it. */
async function startBehind(name: keyof typeof proxies, settings: Record<string, string> = {}) {
  const [port, servicePort] = [await freePort(), await freePort()];
  const base = `https://localhost:${port}/tracking`;
  const processes = await Processes.onNewDatabase({
    PORT: String(servicePort),
    // Add a trailing slash, as an operator may do.
    BASE_URL: `${base}/`,
    TRUST_PROXY: "127.0.0.1",
    ...settings,
  });
  await processes.start();
  const folder = newScratchFolder();
  mkdirSync(join(folder, "home"));
  const [command = "", ...args] = proxies[name]({ folder, port, servicePort });
  const env = { PATH: process.env.PATH, HOME: join(folder, "home") };
  const child = spawn(command, args, { cwd: folder, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const agents: Agent[] = [];
  stopAfterTest(async () => {
    for (const agent of agents) await agent.destroy();
    // After SIGKILL, nginx would leave its workers running.
    child.kill("SIGTERM");
    await exited;
  });

  /** Returns a client with a separate address. */
  const clientAt = (localAddress: string) => {
    const agent = new Agent({ localAddress, connect: { rejectUnauthorized: false } });
    agents.push(agent);
    return (url: string, init: Init = {}) =>
      undiciFetch(url.startsWith("/") ? base + url : url, { dispatcher: agent, ...init });
  };
  const get = clientAt("127.0.0.2");
  for (let tries = 0; ; tries++) {
    const status = await get("/health/live/").then((answer) => answer.status, String);
    if (status === 200) break;
    if (tries > 100 || child.exitCode !== null) throw new Error(`${name}: ${status} ${output}`);
    await sleep(100);
  }
  return { base, get, clientAt, processes };
}

/** Sends a request with headers that `fetch` does not send. */
const getWith = async (url: string, headers: Record<string, string>): Promise<IncomingMessage> => {
  const sent = request(url, { headers, rejectUnauthorized: false, agent: false }).end();
  const [response] = await once(sent, "response");
  return (response as IncomingMessage).resume();
};

const json = (body: unknown, token?: string): Init => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
  body: JSON.stringify(body),
});

/** Creates a manager who owns the device. @returns the token of the manager */
async function ownerOf(
  serial: string,
  { get, processes }: Pick<Awaited<ReturnType<typeof startBehind>>, "get" | "processes">,
): Promise<string> {
  const password = "a long passphrase";
  await get("/api/v1/managers/", json({ username: "ann", email: "a@example.org", password }));
  const client = await processes.command("app", "create", "--name", "Coach");
  const form = new URLSearchParams({ grant_type: "password", username: "ann", password, ...client });
  const answer = await get("/oauth2/token/", { method: "POST", body: form });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const names = ["--device-name", "tracker", "--device-type", "T1"];
  await processes.command("device", "add", "--serial-number", serial, ...names);
  await get(
    "/api/v1/devices/take-ownership/",
    json({ serial_number: serial, device_name: "tracker" }, token),
  );
  return token;
}

describe.each(["nginx", "caddy"] as const)("behind %s", { timeout: 120_000 }, (name) => {
  const missing = !isInstalled(name) || !isInstalled("openssl");
  const skipped = `${name} or openssl is not installed`;

  it("documentation, tokens, loads, conversions and links work under a path", async ({ skip }) => {
    skip(missing, skipped);
    const { base, get, processes } = await startBehind(name);

    // Omit the trailing slash, as people do.
    const short = await get(base, { redirect: "manual" });
    expect([300, 301, 302, 307, 308]).toContain(short.status);
    expect(new URL(short.headers.get("location") ?? "", base).pathname).toBe("/tracking/");

    // A browser resolves the links in the documentation against its address.
    const docs = `${base}/api/docs/`;
    const page = await (await get(docs)).text();
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, path = ""]) => new URL(path, docs).href,
    );
    const schemaUrl = `${base}/api/schema/`;
    expect(parts).toEqual(
      expect.arrayContaining([`${base}/`, `${docs}docs.css`, `${docs}main.js`, schemaUrl]),
    );
    // There may be no page at `/`.
    for (const part of parts.filter((address) => address !== `${base}/`)) {
      expect([part, (await get(part)).status]).toEqual([part, 200]);
    }
    const schema = (await (await get(schemaUrl)).json()) as {
      servers: { url: string }[];
      components: { securitySchemes: { token: { flows: { password: { tokenUrl: string } } } } };
    };
    expect(schema.servers).toEqual([{ url: base }]);

    const client = await processes.command("app", "create", "--name", "Coach");
    const password = "a long passphrase";
    const registered = await get(
      "/api/v1/managers/",
      json({ username: "ann", email: "a@example.org", password }),
    );
    expect(registered.status).toBe(201);
    const { tokenUrl } = schema.components.securitySchemes.token.flows.password;
    const form = new URLSearchParams({ grant_type: "password", username: "ann", password, ...client });
    const { access_token: token } = (await (await get(tokenUrl, { method: "POST", body: form })).json()) as {
      access_token: string;
    };
    const headers = { Authorization: `Bearer ${token}` };
    expect((await get("/api/v1/account/", { headers })).status).toBe(200);

    const names = ["--device-name", "tracker", "--device-type", "T1"];
    const { id } = await processes.command("device", "add", "--serial-number", "ROVER-1", ...names);
    await get(
      "/api/v1/devices/take-ownership/",
      json({ serial_number: "ROVER-1", device_name: "tracker" }, token),
    );
    // The recording is larger than the default limit of a proxy.
    const recording = await walk("ROVER-1", "2024-05-11T20:30:00Z", 36_000);
    expect(recording.length).toBeGreaterThan(1024 * 1024);
    const load = await get(
      `/api/v1/devices/${id}/bulk-load/`,
      json({ asi_b64: Buffer.from(recording).toString("base64") }, token),
    );
    expect(load.status).toBe(200);
    const links = [...(load.headers.get("link")?.matchAll(/(?<=<)[^#>]+/g) ?? [])];
    expect(links).toHaveLength(2);
    for (const [link = ""] of links) {
      expect(link).toMatch(/^\/tracking\/api\//);
      expect((await get(new URL(link, base).href, { headers })).status).not.toBe(404);
    }
    const upload = new FormData();
    upload.append("file", new Blob([Buffer.from(recording)]), "a.asi");
    const converted = await get("/api/v2/files/asi-to-csv/", {
      method: "POST",
      headers,
      body: upload,
    });
    expect([converted.status, (await converted.text()).split("\n").length]).toEqual([200, 36_002]);
  });

  it("WebSockets are forwarded in both directions, and other upgrades are not", async ({ skip }) => {
    skip(missing, skipped);
    const { base, ...started } = await startBehind(name);
    const token = await ownerOf("ROVER-1", started);
    const options = { rejectUnauthorized: false, headers: { Authorization: `Bearer ${token}` } };
    const page = { ...options, origin: new URL(base).origin };
    const watching = await SocketClient.open(`${base}/api/v2/live/`, page);
    const gateway = await SocketClient.open(
      `${base}/api/v2/devices/ROVER-1/stream/?recording=one&offset=0`,
      options,
    );
    expect(await gateway.next()).toEqual({ stored_bytes: 0, stored_until: null });
    gateway.socket.send(await walk("ROVER-1", new Date().toISOString(), 10));
    expect(await watching.next()).toMatchObject({ event: "samples" });
    gateway.socket.send(new Uint8Array());
    expect(await gateway.closed).toBe(1000);
    const foreign = { ...options, origin: "https://elsewhere.example" };
    expect(await SocketClient.refusal(`${base}/api/v2/live/`, foreign)).toMatchObject({ status: 403 });
    const headers = { Connection: "Upgrade", Upgrade: "h2c" };
    expect((await getWith(`${base}/health/live/`, headers)).statusCode).toBe(200);
  });

  it("a recording is streamed in one HTTP/2 request, and confirmed during this request", async ({ skip }) => {
    skip(missing, skipped);
    const { base, ...started } = await startBehind(name);
    const token = await ownerOf("ROVER-1", started);
    const { origin, pathname } = new URL(`${base}/api/v2/devices/ROVER-1/stream/`);
    const session = connect(origin, { rejectUnauthorized: false });
    stopAfterTest(async () => session.destroy());
    const stream = session.request({
      ":method": "POST",
      ":path": `${pathname}?recording=one&offset=0`,
      authorization: `Bearer ${token}`,
      "content-type": "application/octet-stream",
    });
    const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
    const nextLine = async () => JSON.parse((await lines.next()).value);
    const recording = await walk("ROVER-1", new Date().toISOString(), 100);
    const half = recording.length >> 1;
    stream.write(recording.subarray(0, half));
    expect(await nextLine()).toMatchObject({ stored_bytes: 0 });
    let stored = 0;
    while (stored < half - 200) stored = (await nextLine()).stored_bytes;
    stream.end(recording.subarray(half));
    let last: Record<string, unknown> = {};
    while (last.end === undefined) last = await nextLine();
    expect(last).toMatchObject({ end: "complete", stored_bytes: recording.length });
  });

  it("clients are distinguished by their real addresses", async ({ skip }) => {
    skip(missing, skipped);
    const { clientAt } = await startBehind(name, { THROTTLE_ADDRESS_PER_MINUTE: "5" });
    const statusOf = async (address: string, claimed?: string) => {
      const headers = claimed === undefined ? {} : { "X-Forwarded-For": claimed };
      return (await clientAt(address)("/api/schema/", { headers })).status;
    };
    for (let call = 0; call < 5; call++) expect(await statusOf("127.0.0.3")).toBe(200);
    expect(await statusOf("127.0.0.3")).toBe(429);
    expect(await statusOf("127.0.0.3", "192.0.2.1")).toBe(429);
    expect(await statusOf("127.0.0.4")).toBe(200);
  });

  it("an upload that is refused early receives the refusal, not an error of the proxy", async ({ skip }) => {
    skip(missing, skipped);
    const { get } = await startBehind(name);
    const body = Buffer.alloc(20_000_000, "x");
    const answers = [];
    for (let call = 0; call < 5; call++) {
      const headers = { "Content-Type": "multipart/form-data; boundary=x", Authorization: "Bearer made-up" };
      const { status } = await get("/api/v2/files/asi-to-csv/", { method: "POST", headers, body });
      answers.push(status);
    }
    expect(answers).toEqual([403, 403, 403, 403, 403]);
  });
});
