import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { type Database, openDatabase, type Queries } from "../connection/database.js";

/** Folder for a copy of the embedded database during a read. */
const COPY = /^copy-[0-9a-f]{16}$/;

/** Copies that this process reads. */
const inUse = new Set<string>();

/**
 * Runs `work` of any duration on one snapshot of the database while other statements continue. The embedded engine has only one
 * session, so its files are copied, and a second engine reads the copy.
 * @param dataDir folder for the copy
 */
export async function withSnapshot<T>(
  database: Database,
  dataDir: string,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  if (database.copyTo === null) return inSnapshot(database.queries, work);
  for (const name of readdirSync(dataDir)) {
    // Remove the copy of a process that was killed. No other process uses the database, but this one may run several backups.
    if (COPY.test(name) && !inUse.has(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  const own = `copy-${randomBytes(8).toString("hex")}`;
  const folder = join(dataDir, own);
  inUse.add(own);
  try {
    // After a checkpoint, the copy opens faster, because the engine need not replay the log.
    await database.pool.query("CHECKPOINT");
    await database.copyTo(folder);
    const copy = await openDatabase({ folder });
    try {
      return await inSnapshot(copy.queries, work);
    } finally {
      await copy.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    inUse.delete(own);
  }
}

const inSnapshot = <T>(queries: Queries, work: (queries: Queries) => Promise<T>): Promise<T> =>
  queries.transaction(
    async (tx) => {
      // Disable the timeouts, which are meant for requests.
      await tx.execute(sql`SET LOCAL statement_timeout = 0`);
      await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = 0`);
      return work(tx);
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
