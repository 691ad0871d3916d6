import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { errors } from "../change/errors.js";

/** The objects on which figures depend, in addition to their time frames. */
export type Input = { athleteId: number } | { activityId: number } | { deviceId: number };

const keyOf = (input: Input): string => {
  if ("athleteId" in input) return `input athlete ${input.athleteId}`;
  if ("activityId" in input) return `input activity ${input.activityId}`;
  return `input device ${input.deviceId}`;
};

const lockOf = (key: SQL) => sql`hashtextextended(${key}, 0)`;

/** Longest pauses between two attempts, ms. The first one is short, because the attempts of two computations can also collide. */
const PAUSE_MS = { first: 4, longest: 50 };

/** Maximum time for which a computation waits for a change, and time after which its caller can try again, ms. */
const PATIENCE_MS = 10_000;
const RETRY_AFTER_MS = 5_000;

/**
 * Marks an input as being changed until the end of the transaction. Call it before the time frames that depend on the input are
 * marked as stale. The lock is shared, so changes do not wait for each other.
 */
export async function lockInput(queries: Queries, input: Input): Promise<void> {
  await queries.execute(sql`SELECT pg_advisory_xact_lock_shared(${lockOf(sql`${keyOf(input)}`)})`);
}

/**
 * Waits until no transaction is changing these inputs. A change does not mark a time frame that a concurrent transaction adds.
 * Read the time frames before this call and the other inputs after it. Then figures include the change, or the change marks the
 * time frames. Call it outside transactions, so that the locks end with the statement. It retries instead of queueing for the
 * lock, because later changes would wait behind it. It has no signal parameter, because other callers share the computation.
 * @throws ServiceError `throttled` if a change takes more than 10 s
 */
export async function untilUnchanged(queries: Queries, inputs: readonly Input[]): Promise<void> {
  const keys = inputs.map(keyOf).sort();
  const endMs = performance.now() + PATIENCE_MS;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    const { rows } = await queries.execute<{ free: boolean }>(
      sql`SELECT bool_and(pg_try_advisory_xact_lock(${lockOf(sql`key`)})) AS free FROM unnest(${sql.param(keys)}::text[]) AS key`,
    );
    if (rows[0]?.free !== false) return;
    if (performance.now() >= endMs) throw errors.throttled(RETRY_AFTER_MS);
    await sleep(pauseMs * Math.random());
  }
}
