/**
 * Measures the figures that an operator needs to choose a machine: memory, processor time of uploads and of pages, and bytes on
 * disk. Starts the built service as an operator does, on PostgreSQL and on the embedded database. Prints a table in Markdown.
 * Usage: npm run sizing -w server [-- --devices 30 --seconds 20]
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { allocatorSettings } from "./allocator.js";
import { onGround } from "./ground.js";

const { values } = parseArgs({ options: { devices: { type: "string" }, seconds: { type: "string" } } });
const DEVICES = Number(values.devices ?? 30);
const READING_S = Number(values.seconds ?? 20);
const READERS = 4;
const SESSION_S = 2 * 3600;
const SAMPLES = SESSION_S * 10;
const PAGE = 25_000;
const IDLE_MS = 15_000;
const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "server/dist/main.js");
const CLOCK_TICKS_PER_S = 100;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(2025, 2, 1, 10);

const children = new Set<ChildProcess>();

/** Returns the processor time of a process and its exited children, s. */
function processorS(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  // utime, stime, cutime, cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / CLOCK_TICKS_PER_S;
}

const memoryMb = (pid: number, field: "VmRSS" | "VmHWM") => {
  const kib = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kib) * 1024) / 1e6;
};

/** Returns the ids of the processes of the PostgreSQL server that this process started. */
function postgresPids(): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parentOf = new Map<number, number>();
  const named = new Set<number>();
  for (const pid of all) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      parentOf.set(Number(pid), Number(stat.replace(/^.*\) /, "").split(" ")[1]));
      if (stat.includes("(postgres)")) named.add(Number(pid));
    } catch {
      // The process has ended.
    }
  }
  const isOwn = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === process.pid || isOwn(parentOf.get(pid)));
  return [...named].filter(isOwn);
}

/** Returns the processor time of the database server, including running sessions, s. */
const databaseS = () => postgresPids().reduce((sum, pid) => sum + processorS(pid), 0);

interface Figures {
  [what: string]: string;
}

async function measure(folder: string, databaseUrl: string | null): Promise<Figures> {
  const env = {
    PATH: process.env.PATH,
    ...allocatorSettings(),
    PORT: "0",
    METRICS_PORT: "0",
    DATA_DIR: join(folder, databaseUrl === null ? "embedded" : "data"),
    // Raise the limits per user, which are not measured.
    THROTTLE_USER_PER_MINUTE: "1000000",
    THROTTLE_RAW_DATA_PER_MINUTE: "1000000",
    THROTTLE_FILES_PER_MINUTE: "1000000",
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const pid = child.pid ?? 0;
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      const found = /listens on (http:\S+);/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    exited.then(() => reject(new Error(`The service has ended: ${output}`)));
  });
  const command = (...args: string[]) =>
    JSON.parse(execFileSync(process.execPath, [MAIN, ...args, "--json"], { env }).toString());
  const call = async (path: string, token?: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        "Content-Type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };

  const [username, password] = ["ann", "a long passphrase"];
  await call("/api/v1/managers/", undefined, { username, password, email: "ann@example.org" });
  const form = new URLSearchParams({
    grant_type: "password",
    username,
    password,
    ...command("app", "create", "--name", "sizing"),
  });
  const { access_token: token } = (await (
    await fetch(`${url}/oauth2/token/`, { method: "POST", body: form })
  ).json()) as { access_token: string };

  // Restart the process, because the creation of the database and the registration must not count.
  await sleep(IDLE_MS);
  const idleMb = memoryMb(pid, "VmRSS");

  const devices: { id: number; startMs: number; upload: string }[] = [];
  for (let i = 0; i < DEVICES; i++) {
    const serial = `SIZING-${i}`;
    const startMs = FIRST_DAY_MS + i * DAY_MS;
    command("device", "add", "--serial-number", serial, "--device-name", serial, "--device-type", "T1");
    const taken = await call("/api/v1/devices/take-ownership/", token, {
      serial_number: serial,
      device_name: serial,
    });
    const { id } = (await taken.json()) as { id: number };
    command("ownership", "backdate", serial, "--start", "2024-01-01T00:00:00Z");
    const start = new Date(startMs).toISOString();
    const options = ["--demo", "--serial", serial, "--start", start, "--duration", "2h", "-o", "-"];
    const recording = execFileSync(process.execPath, [join(ROOT, "dist/bin/asi.cjs"), "encode", ...options], {
      maxBuffer: 2 ** 28,
    });
    devices.push({ id, startMs, upload: recording.toString("base64") });
  }

  const before = { service: processorS(pid), database: databaseS(), at: performance.now() };
  const jobs: string[] = [];
  for (const { id, upload } of devices) {
    const accepted = await call(`/api/v1/devices/${id}/bulk-load/`, token, { asi_b64: upload });
    jobs.push(((await accepted.json()) as { job_id: string }).job_id);
  }
  for (const job of jobs) {
    for (;;) {
      const { state } = (await (await call(`/api/v1/jobs/${job}/`, token)).json()) as { state: string };
      if (state === "SUCCESS") break;
      if (state === "FAILURE") throw new Error(`${job} has failed`);
      await sleep(50);
    }
  }
  const loadS = (performance.now() - before.at) / 1000;
  const loadCpuS = processorS(pid) - before.service + (databaseS() - before.database);

  let bytesPerSample = Number.NaN;
  if (databaseUrl !== null) {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query("SELECT pg_total_relation_size('sample_chunks') AS bytes");
    bytesPerSample = Number(rows[0].bytes) / (DEVICES * SAMPLES);
    await client.end();
  }

  /** Requests pages one after another with a few connections. */
  const read = async (pathOf: (n: number) => string) => {
    const begin = { service: processorS(pid), database: databaseS(), at: performance.now() };
    const tookMs: number[] = [];
    const end = begin.at + READING_S * 1000;
    let n = 0;
    const reader = async () => {
      while (performance.now() < end) {
        const at = performance.now();
        await (await call(pathOf(n++), token)).arrayBuffer();
        tookMs.push(performance.now() - at);
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
    const seconds = (performance.now() - begin.at) / 1000;
    const cpuS = processorS(pid) - begin.service + (databaseS() - begin.database);
    tookMs.sort((a, b) => a - b);
    return {
      perSecond: tookMs.length / seconds,
      p99Ms: tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN,
      perCpuS: tookMs.length / cpuS,
    };
  };
  // Every page begins at a different millisecond, because the service would cache equal pages.
  const pages = await read((n) => {
    const { id, startMs } = devices[n % DEVICES] ?? { id: 0, startMs: 0 };
    return `/api/v1/devices/${id}/preprocessed-data/?start=${startMs + n}&stop=${startMs + SESSION_S * 1000}&limit=${PAGE}`;
  });
  const small = await read((n) => `/api/v1/devices/${devices[n % DEVICES]?.id}/`);
  const peakMb = memoryMb(pid, "VmHWM");
  child.kill("SIGTERM");
  await exited;
  children.delete(child);

  const number = (value: number) => Math.round(value).toLocaleString("en-US");
  return {
    "memory of the process, idle": `${number(idleMb)} MB`,
    "peak memory during the following measurements": `${number(peakMb)} MB`,
    [`uploads: ${DEVICES} recordings of 2 h at 10 Hz, one after another`]: `${loadS.toFixed(1)} s`,
    "samples for one second of processor time, database included": number((DEVICES * SAMPLES) / loadCpuS),
    "recordings of 2 h for one second of processor time": (DEVICES / loadCpuS).toFixed(1),
    "bytes on disk for one sample, with indexes": Number.isNaN(bytesPerSample)
      ? "the same"
      : bytesPerSample.toFixed(2),
    [`pages of 25,000 samples, ${READERS} readers`]: `${number(pages.perSecond)} per second, p99 ${number(pages.p99Ms)} ms`,
    "pages of 25,000 samples for one second of processor time": number(pages.perCpuS),
    [`a device, ${READERS} readers`]: `${number(small.perSecond)} per second, p99 ${number(small.p99Ms)} ms`,
    "reads of a device for one second of processor time": number(small.perCpuS),
  };
}

await onGround(
  15 * 60_000,
  async ({ folder, createDatabase }) => {
    const onServer = await measure(folder, await createDatabase());
    const embedded = await measure(folder, null);
    const model = cpus()[0]?.model ?? "unknown";
    console.log(
      `${model}, ${availableParallelism()} cores, ${Math.round(totalmem() / 1e9)} GB, Node.js ${process.version}\n`,
    );
    console.log("| | PostgreSQL | embedded |\n| --- | --- | --- |");
    for (const [what, figure] of Object.entries(onServer))
      console.log(`| ${what} | ${figure} | ${embedded[what]} |`);
  },
  () => {
    for (const child of children) child.kill("SIGKILL");
  },
);
