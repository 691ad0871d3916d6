import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../../config/usage-error.js";
import type { Connection } from "../placement/placement.js";

/**
 * Maximum time that the service waits for the exchange of the tables to begin, ms; pause before the next attempt, ms; and number
 * of attempts. A backup delays the exchange.
 */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_PAUSE_MS = 4_000;
const LOCK_TRIES = 30;

/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = "55P03";

export async function inTransaction<T>(client: Connection, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Runs a transaction that locks the table. Later queries wait behind a waiting lock, so it times out soon and is retried. */
export async function whenUnlocked(client: Connection, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await inTransaction(client, async () => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await work();
      });
      return;
    } catch (error) {
      const isLocked = error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE;
      if (!isLocked) throw error;
      if (tries === LOCK_TRIES) {
        throw new UsageError(
          "The samples are in use, for example by a backup. When it has ended, run the same command again: the move continues where it stopped.",
        );
      }
      await sleep(LOCK_PAUSE_MS);
    }
  }
}
