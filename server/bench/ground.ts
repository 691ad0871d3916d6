import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type PostgresServer, startPostgres } from "../test/postgres.js";
import { killServices } from "./measured-service.js";

/** Environment of a run: databases, and a folder for all files. The environment is always removed at the end. */
export interface Ground {
  folder: string;
  /** URL of a new, empty PostgreSQL database. */
  createDatabase(): Promise<string>;
}

/** Time limit for stopping PostgreSQL. */
const STOP_TIMEOUT_MS = 15_000;

/**
 * Runs `work` and cleans up afterwards: when it completes, fails or exceeds `timeoutMs`, and when
 * the process receives a termination signal.
 * @param endProcesses immediately ends all processes started by `work`
 */
export async function onGround(
  timeoutMs: number,
  work: (ground: Ground) => Promise<void>,
  endProcesses: () => void = killServices,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "asi-server-bench-"));
  // PostgreSQL may run in this folder as another user.
  chmodSync(folder, 0o755);
  // Services and PostgreSQL create their temporary folders in this folder.
  process.env.TMPDIR = folder;
  let postgres: Promise<PostgresServer> | undefined;
  let databases = 0;
  const clear = async () => {
    endProcesses();
    const stopped = postgres?.then((server) => server.stop()).catch(() => undefined);
    await Promise.race([stopped, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const giveUp = (why: string) => {
    console.error(why);
    void clear().finally(() => process.exit(1));
  };
  const timer = setTimeout(() => giveUp(`not done in ${timeoutMs / 60_000} minutes`), timeoutMs);
  const onSignal = (signal: string) => giveUp(signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, onSignal);
  try {
    await work({
      folder,
      async createDatabase() {
        postgres ??= startPostgres({ durable: true });
        const { url } = await postgres;
        const name = `bench_${++databases}`;
        const client = new pg.Client(`${url}postgres`);
        await client.connect();
        await client.query(`CREATE DATABASE ${name}`);
        await client.end();
        return url + name;
      },
    });
  } finally {
    clearTimeout(timer);
    await clear();
  }
}
