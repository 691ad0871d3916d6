import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";

/** The objects on which figures depend, in addition to their time frames. */
export type Input = { athleteId: number } | { activityId: number } | { deviceId: number };

const keyOf = (input: Input): string => {
  if ("athleteId" in input) return `input athlete ${input.athleteId}`;
  if ("activityId" in input) return `input activity ${input.activityId}`;
  return `input device ${input.deviceId}`;
};

const lockOf = (key: SQL) => sql`hashtextextended(${key}, 0)`;

/** Pauses between attempts, ms. The first one is short, because the attempts of two computations can also collide. */
const PAUSE_MS = { first: 2, longest: 50 };

/** Time after which figures are computed even if a change is under way, ms. Such figures must not be stored. */
const PATIENCE_MS = 10_000;

/**
 * Locks an input until the end of the transaction that changes it. Call it before you mark the dependent time frames as stale. The
 * lock is shared, so changes do not wait for each other.
 */
export async function lockInput(queries: Queries, input: Input): Promise<void> {
  await queries.execute(sql`SELECT pg_advisory_xact_lock_shared(${lockOf(sql`${keyOf(input)}`)})`);
}

/**
 * Waits until no transaction is changing these inputs. A change does not mark a time frame that a different transaction adds
 * meanwhile. Read the time frames before this call and the other inputs after it. Then these inputs include the change, or the
 * change marks the time frames. Call it outside transactions, so that the locks end with the statement. It polls instead of waiting
 * for the lock, because later changes would wait behind it.
 * @returns true when no change is under way; false after 10 s
 */
export async function untilUnchanged(
  queries: Queries,
  inputs: readonly Input[],
  signal?: AbortSignal,
): Promise<boolean> {
  const keys = inputs.map(keyOf);
  const endMs = performance.now() + PATIENCE_MS;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    const { rows } = await queries.execute<{ free: boolean }>(
      sql`SELECT bool_and(pg_try_advisory_xact_lock(${lockOf(sql`key`)})) AS free FROM unnest(${sql.param(keys)}::text[]) AS key`,
    );
    if (rows[0]?.free !== false) return true;
    if (performance.now() >= endMs) return false;
    await sleep(pauseMs, undefined, { signal });
  }
}
