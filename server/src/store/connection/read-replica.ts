import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { FastifyBaseLogger } from "fastify";
import { UsageError } from "../../config/usage-error.js";
import { onBehalfOf } from "../../fairness/callers.js";
import type { Database, Queries } from "./database.js";
import { areOneDatabase } from "./database-identity.js";

/** Interval for comparing the log positions of the replica and the primary, ms. */
const MEASURE_MS = 1_000;

/** Maximum age of the replica for reading a page. The API documents pages of at most 120 s; the rest is for the read itself. */
export const MAX_REPLICA_AGE_MS = 110_000;

/** A position in the log of the primary, and the local time at which the log had reached it. */
interface Position {
  lsn: bigint;
  atMs: number;
}

/** A replica that may be read, and the maximum age of its state, ms. */
export interface ReplicaState {
  queries: Queries;
  ageMs: number;
}

/** Parses `X/Y`, two hexadecimal halves of 32 bits (PostgreSQL, "pg_lsn Type"). */
function readLsn(text: string): bigint {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/**
 * A streaming replica of the primary. The age of its data is derived only from log positions and the local clock: a replica that
 * has replayed the log up to a position contains everything that was committed before. The last transaction of an idle primary
 * may therefore be hours old without indicating a lag, and the clocks of the servers may differ.
 */
export class ReadReplica {
  readonly #primary: Database;
  readonly #replica: Database;
  readonly #maxAgeMs: number;
  /** Positions of the primary that the replica may not have reached, in chronological order. */
  #positions: Position[] = [];
  /** Time up to which the replica has all commits, on the clock of `performance`. */
  #asOfMs = Number.NEGATIVE_INFINITY;
  #problem: string | undefined = "not measured yet";
  #isSame = false;
  #log: FastifyBaseLogger | undefined;
  readonly #closing = new AbortController();
  #measuring: Promise<void> | undefined;

  constructor(primary: Database, replica: Database, maxAgeMs = MAX_REPLICA_AGE_MS) {
    this.#primary = primary;
    this.#replica = replica;
    this.#maxAgeMs = maxAgeMs;
  }

  /**
   * Starts measuring.
   * @throws UsageError when the replica belongs to another database
   */
  async start(log: FastifyBaseLogger): Promise<void> {
    this.#log = log;
    await this.#measure();
    this.#measuring = this.#measureFromNowOn();
  }

  /** Returns the replica if it is recent enough to be read. */
  current(): ReplicaState | undefined {
    const ageMs = this.ageMs;
    if (this.#problem !== undefined || ageMs > this.#maxAgeMs) return undefined;
    return { queries: this.#replica.queries, ageMs };
  }

  /** Maximum age of its state, ms; infinite before the first measurement. */
  get ageMs(): number {
    return performance.now() - this.#asOfMs;
  }

  /** Reports a failed read. Until the next measurement, `current` returns undefined. */
  failed(error: unknown): void {
    this.#note(error instanceof Error ? error.message : String(error));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#measuring;
    await this.#replica.close();
  }

  async #measureFromNowOn(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(MEASURE_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#measure().catch((error: unknown) => this.failed(error));
    }
  }

  /** @throws UsageError when the replica belongs to another database */
  async #measure(): Promise<void> {
    try {
      const name = "read-replica";
      this.#note(await onBehalfOf({ name, group: name }, () => this.#problemNow()));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      this.failed(error);
    }
  }

  /** Compares the positions. @returns the reason why the replica cannot be read */
  async #problemNow(): Promise<string | undefined> {
    const atMs = performance.now();
    // Committed data has been flushed. With synchronous_commit off, it is flushed a moment later.
    const primary = await this.#primary.queries.execute<{ lsn: string; timeline: string }>(
      sql`SELECT lsn::text, left(pg_walfile_name(lsn), 8) AS timeline FROM pg_current_wal_flush_lsn() AS lsn`,
    );
    const [written] = primary.rows;
    this.#positions.push({ lsn: readLsn(written?.lsn ?? ""), atMs });
    const { rows } = await this.#replica.queries.execute<{
      standby: boolean;
      lsn: string | null;
      timeline: number;
    }>(sql`
      SELECT pg_is_in_recovery() AS standby, pg_last_wal_replay_lsn()::text AS lsn, timeline_id AS timeline
      FROM pg_control_checkpoint()`);
    const [state] = rows;
    if (state?.standby !== true) return "it is not a standby";
    // After a failover, positions of the two timelines cannot be compared. The replica shows the new timeline from its next
    // restartpoint.
    if (state.timeline !== Number.parseInt(written?.timeline ?? "", 16)) return "it is on another timeline";
    await this.#requireSame();
    const replayed = readLsn(state.lsn ?? "");
    const reached = this.#positions.findLastIndex(({ lsn }) => lsn <= replayed);
    this.#asOfMs = this.#positions[reached]?.atMs ?? this.#asOfMs;
    // Keep the last reached position, because the replica may restart from an earlier one.
    this.#positions = this.#positions
      .slice(Math.max(0, reached))
      .filter((position, index) => index === 0 || atMs - position.atMs <= this.#maxAgeMs);
    return undefined;
  }

  async #requireSame(): Promise<void> {
    if (this.#isSame) return;
    if (!(await areOneDatabase(this.#primary.pool, this.#replica.pool))) {
      throw new UsageError(
        "DATABASE_READ_URL is not a replica of the database of DATABASE_URL: it belongs to another cluster, or has another name. Correct DATABASE_READ_URL.",
      );
    }
    this.#isSame = true;
  }

  #note(problem: string | undefined): void {
    if (problem !== this.#problem) {
      if (problem === undefined) this.#log?.info("the read replica is in use");
      else this.#log?.warn({ problem }, "the read replica is not in use");
    }
    this.#problem = problem;
  }
}
