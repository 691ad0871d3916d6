/** Starts a real PgBouncer in front of a PostgreSQL server, if the program is installed. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { NOBODY } from "./postgres.js";

/** Debian installs the program in a folder that only root has in its path. */
const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find(existsSync);

/** Version of the installed program; undefined if it is not installed. */
export const pgbouncerVersion: string | undefined =
  PROGRAM === undefined
    ? undefined
    : /PgBouncer (\S+)/.exec(execFileSync(PROGRAM, ["--version"], { encoding: "utf8" }))?.[1];

export interface Pooler {
  /** URL of the database through the pooler. */
  url: string;
  /** Returns the process ids of the server sessions that the pooler uses. */
  sessions(): Promise<number[]>;
  stop(): Promise<void>;
}

/**
 * Starts a pooler with a session per transaction.
 * @param databaseUrl URL of the database behind it
 * @param size number of sessions with the database
 */
export async function startPgbouncer(databaseUrl: string, size: number): Promise<Pooler> {
  const { hostname, port: serverPort, pathname } = new URL(databaseUrl);
  // Do not use the folder of the run, which only its user can read.
  const folder = mkdtempSync(join(tmpdir(), "asi-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = admin
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 200
`,
  );
  const isRoot = process.getuid?.() === 0;
  const child = spawn(PROGRAM ?? "", ["-q", file], {
    stdio: "ignore",
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const url = `postgres://postgres@127.0.0.1:${port}${pathname}`;
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(50);
    }
  }
  return {
    url,
    async sessions() {
      const admin = new pg.Client(`postgres://admin@127.0.0.1:${port}/pgbouncer`);
      await admin.connect();
      const { rows } = await admin.query("SHOW SERVERS");
      await admin.end();
      return rows.map(({ remote_pid }) => Number(remote_pid));
    },
    async stop() {
      child.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
