import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { UsageError } from "../../config/usage-error.js";
import { onBehalfOf } from "../../fairness/callers.js";
import { isAwaited, tryLock, waitForLock } from "./advisory-lock.js";
import type { Database } from "./database.js";

/** Delay before a lost lock is acquired again. */
const RENEWAL_MS = 500;

interface Holding {
  /** Called whenever the lock has been acquired. @throws UsageError when this process must not serve */
  check?(client: pg.ClientBase): Promise<void>;
  /** Called with the UsageError of `check` after the lock was acquired again: the process must end. */
  onRefused?(error: UsageError): void;
}

/**
 * Holds the server lock in PostgreSQL. While a server holds it, restores and migrations of other releases are refused.
 * After the loss of the connection, acquires the lock again as soon as the database accepts connections. The embedded
 * database needs no server lock, because its folder is locked.
 * @returns function that releases the lock
 * @throws UsageError of `check`
 */
export async function holdServerLock(
  { kind, direct }: Database,
  { check, onRefused }: Holding = {},
): Promise<() => void> {
  if (kind === "embedded") return () => undefined;
  let held: pg.PoolClient | undefined;
  let renewal: NodeJS.Timeout | undefined;
  let over = false;
  // Use a separate caller, because this connection is never returned and must not count against other work.
  const name = `server-lock ${randomUUID()}`;

  async function hold(): Promise<void> {
    const client = await onBehalfOf({ name, group: name }, () => direct.connect());
    try {
      // Waits until a running restore ends.
      await waitForLock(client, "servers", "_shared");
      await check?.(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (over) return client.release(true);
    held = client;
    client.once("end", () => {
      if (held !== client) return;
      held = undefined;
      client.release(true);
      renew();
    });
  }

  function renew(): void {
    if (over) return;
    // Retry while the database is unavailable.
    renewal = setTimeout(() => hold().catch(renewUnlessRefused), RENEWAL_MS);
    renewal.unref();
  }

  function renewUnlessRefused(error: unknown): void {
    if (!(error instanceof UsageError)) renew();
    else if (!over) onRefused?.(error);
  }

  await hold();
  return () => {
    over = true;
    clearTimeout(renewal);
    const client = held;
    held = undefined;
    client?.release(true);
  };
}

/** Runs `work` while no server runs and none can start. @returns false when a server is running */
export async function withoutServers(
  { kind, direct }: Database,
  work: () => Promise<void>,
): Promise<boolean> {
  if (kind === "embedded") {
    await work();
    return true;
  }
  const client = await direct.connect();
  try {
    if (!(await tryLock(client, "servers"))) return false;
    // A server that has lost its connection waits for this lock when it acquires its own again.
    await sleep(3 * RENEWAL_MS);
    if (await isAwaited(client, "servers")) return false;
    await work();
    return true;
  } finally {
    client.release(true);
  }
}
