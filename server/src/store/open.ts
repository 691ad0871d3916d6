import { join } from "node:path";
import type { Config } from "../config/config.js";
import { UsageError } from "../config/usage-error.js";
import { type Database, openDatabase, type PostgresServer } from "./connection/database.js";
import { isRefusedConnection } from "./connection/database-errors.js";
import { areOneDatabase } from "./connection/database-identity.js";
import { ReadReplica } from "./connection/read-replica.js";
import { serverKeyOf } from "./connection/server-key.js";
import { OLDEST_MAJOR, requireMajor } from "./connection/server-version.js";
import { requirePreparedStatements, requireSessions } from "./connection/session-check.js";
import { tlsProblem } from "./connection/tls.js";
import { lockFolder } from "./embedded/folder-lock.js";
import { makePrivateFolder, restrictToOwner } from "./embedded/private-folder.js";
import { migrate } from "./migrations/migrate.js";

/** Time for which a page waits for the replica before the service reads it from the primary. */
const REPLICA_TIMEOUT_MS = 5_000;

/** An open store: the migrated database, and the key that encrypts its secrets. */
export interface Store {
  database: Database;
  serverKey: Uint8Array;
  close(): Promise<void>;
}

/** An open store, and the migrations that opening it applied. */
export interface OpenedStore extends Store {
  applied: readonly string[];
}

/**
 * Opens the configured database and migrates it to the newest schema.
 * @throws FolderLockedError when another process uses the embedded database
 */
export async function openStore(config: Config): Promise<OpenedStore> {
  if (config.databaseUrl === null && config.databaseDirectUrl !== null) {
    throw new UsageError("DATABASE_DIRECT_URL needs DATABASE_URL with the address of the pooler.");
  }
  makePrivateFolder(config.dataDir);
  const unlock = config.databaseUrl === null ? await lockFolder(config.dataDir) : async () => undefined;
  let database: Database | undefined;
  try {
    database = await openDatabase(
      config.databaseUrl === null
        ? { folder: join(config.dataDir, "database") }
        : serverOf(config, config.databaseUrl),
    );
    if (config.databaseUrl === null) restrictToOwner(config.dataDir);
    const { close } = database;
    const applied = await migrateDirectly(database, config.databasePreparedStatements);
    return {
      applied,
      database,
      serverKey: config.serverKey ?? serverKeyOf(config.dataDir),
      async close() {
        await close();
        await unlock();
      },
    };
  } catch (error) {
    await database?.close().catch(() => undefined);
    await unlock();
    throw error;
  }
}

/**
 * Migrates through the connections with dedicated sessions.
 * @throws UsageError when a server is unreachable or its certificate is rejected, when it is too old, when the settings refer to
 *   two databases, or when the settings do not account for a transaction-level pooler
 */
async function migrateDirectly(database: Database, prepares: boolean): Promise<string[]> {
  const { kind, pool, direct } = database;
  if (kind === "embedded") return migrate(database);
  await naming("DATABASE_URL", () => requireMajor(pool, OLDEST_MAJOR, "The service"));
  if (direct === pool) {
    return naming("DATABASE_URL", async () => {
      await requireSessions(pool, "DATABASE_URL");
      return migrate(database);
    });
  }
  await naming("DATABASE_DIRECT_URL", () => direct.query("SELECT 1"));
  if (!(await areOneDatabase(pool, direct))) {
    throw new UsageError(
      "DATABASE_DIRECT_URL and DATABASE_URL are different databases. Both must refer to the same database, DATABASE_URL through the pooler.",
    );
  }
  await requireSessions(direct, "DATABASE_DIRECT_URL");
  if (prepares) await requirePreparedStatements(pool);
  return naming("DATABASE_DIRECT_URL", () => migrate(database));
}

/** Runs work on a server, and adds the name of its setting to errors that the operator can correct. */
async function naming<T>(variable: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The message already contains advice, for example about a migration that waits for a lock.
    if (error instanceof UsageError) throw error;
    const problem = error instanceof Error ? tlsProblem(error, variable) : undefined;
    if (problem !== undefined) throw new UsageError(problem);
    if (error instanceof Error && isRefusedConnection(error)) {
      throw new UsageError(
        `The server of ${variable} refuses the connection: ${error.message}. Correct the user, the password or the database in ${variable}, or create them.`,
      );
    }
    if (!isUnreachable(error)) throw error;
    if (error.code === TOO_MANY_CONNECTIONS) {
      throw new UsageError(
        `The database of ${variable} has no free connection: ${error.message}. Lower DATABASE_POOL_SIZE of all processes, or raise max_connections of the server.`,
      );
    }
    throw new UsageError(
      `The database of ${variable} cannot be reached: ${error.message || error.code}. Start the server, or correct ${variable}.`,
    );
  }
}

/**
 * Opens the replica of DATABASE_READ_URL, which may be unreachable; undefined if the setting is absent.
 * @throws UsageError without a primary
 */
export async function openReplica(config: Config, primary: Database): Promise<ReadReplica | undefined> {
  if (config.databaseReadUrl === null) return undefined;
  if (config.databaseUrl === null) {
    throw new UsageError("DATABASE_READ_URL needs DATABASE_URL: the embedded database has no replica.");
  }
  const server = serverOf(config, config.databaseReadUrl);
  const replica = await openDatabase({ ...server, directUrl: null, timeoutMs: REPLICA_TIMEOUT_MS });
  return new ReadReplica(primary, replica);
}

/** Returns the server that the settings specify. */
export const serverOf = (config: Config, url: string): PostgresServer => ({
  url,
  directUrl: config.databaseDirectUrl,
  poolSize: config.databasePoolSize,
  prepares: config.databasePreparedStatements,
  tls: { mode: config.databaseSslMode, rootCert: config.databaseSslRootCert },
  timeouts: {
    statementMs: config.databaseStatementTimeoutMs,
    lockMs: config.databaseLockTimeoutMs,
    idleInTransactionMs: config.databaseIdleTransactionTimeoutMs,
  },
});

const TOO_MANY_CONNECTIONS = "53300";

/** Codes of a missing, full or starting server (PostgreSQL, "Error Codes"). */
const UNREACHABLE = /^(ECONN|ENOTFOUND|ENOENT|ETIMEDOUT|EHOSTUNREACH|EAI_|53300|57P03)/;

const isUnreachable = (error: unknown): error is Error & { code?: string } =>
  error instanceof Error &&
  (("code" in error && UNREACHABLE.test(String(error.code))) || /timeout/.test(error.message));
