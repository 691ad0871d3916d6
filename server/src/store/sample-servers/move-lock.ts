import { UsageError } from "../../config/usage-error.js";
import type { Connection } from "../placement/placement.js";

/** The advisory lock of the command that moves the samples; an arbitrary constant. */
const MOVE_LOCK = 7_340_003;

/**
 * Runs work that moves the samples, while no other command does.
 *
 * @param client a connection to the database with a session of its own
 * @throws UsageError when another command moves them
 */
export async function whileNoneMoves<T>(client: Connection, work: () => Promise<T>): Promise<T> {
  const { rows } = await client.query<{ free: boolean }>("SELECT pg_try_advisory_lock($1) AS free", [
    MOVE_LOCK,
  ]);
  if (rows[0]?.free !== true)
    throw new UsageError("Another command moves the samples now. Wait until it has ended.");
  try {
    return await work();
  } finally {
    await client.query("SELECT pg_advisory_unlock($1)", [MOVE_LOCK]).catch(() => undefined);
  }
}
