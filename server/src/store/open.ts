import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.js";
import { UsageError } from "../usage-error.js";
import { type Database, openDatabase } from "./database.js";
import { lockFolder } from "./folder-lock.js";
import { migrate } from "./migrate.js";
import { makePrivateFolder, restrictToOwner } from "./private-folder.js";

/** An open store: the database, migrated, and the key that encrypts its secrets. */
export interface Store {
  database: Database;
  serverKey: Uint8Array;
  close(): Promise<void>;
}

/**
 * Opens the configured database and migrates it to the newest schema.
 * @throws FolderLockedError when another process uses the embedded database
 */
export async function openStore(config: Config): Promise<Store> {
  makePrivateFolder(config.dataDir);
  const unlock = config.databaseUrl === null ? await lockFolder(config.dataDir) : async () => undefined;
  let database: Database | undefined;
  try {
    database = await openDatabase(
      config.databaseUrl === null
        ? { folder: join(config.dataDir, "database") }
        : {
            url: config.databaseUrl,
            poolSize: config.databasePoolSize,
            timeouts: {
              statementMs: config.databaseStatementTimeoutMs,
              lockMs: config.databaseLockTimeoutMs,
              idleInTransactionMs: config.databaseIdleTransactionTimeoutMs,
            },
          },
    );
    if (config.databaseUrl === null) restrictToOwner(config.dataDir);
    const { close } = database;
    await migrate(database);
    return {
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
    if (config.databaseUrl === null || !isUnreachable(error)) throw error;
    throw new UsageError(
      `The database of DATABASE_URL cannot be reached: ${error.message || error.code}. Start the server, or correct DATABASE_URL.`,
    );
  }
}

/** There is no server at the address, or it refuses the user or the database (PostgreSQL, "Error Codes"). */
const UNREACHABLE = /^(ECONN|ENOTFOUND|ENOENT|ETIMEDOUT|EHOSTUNREACH|EAI_|28|3D|53300|57P03)/;

const isUnreachable = (error: unknown): error is Error & { code?: string } =>
  error instanceof Error &&
  (("code" in error && UNREACHABLE.test(String(error.code))) || /timeout/.test(error.message));

function serverKeyOf(dataDir: string): Uint8Array {
  const file = join(dataDir, "server.key");
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o600, flag: "wx" });
  return new Uint8Array(Buffer.from(readFileSync(file, "utf8"), "base64"));
}
