import { samplesOf } from "../placement/sample-device.js";
import { MAX_CHUNK_SAMPLES } from "./codec.js";
import { SampleStoreError } from "./errors.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/**
 * Maximum number of samples that one load may rewrite: new samples, and the stored samples of the chunks that get them. A recording
 * of 48 h at 25 Hz that is loaded a second time has 8.6 million. A load is one transaction, which blocks all others in the embedded
 * database.
 */
export const MAX_REWRITTEN_SAMPLES = 10_000_000;

/** Limits the samples that a load of one device rewrites. The device's samples must be locked. */
export class RewriteLimit {
  #rewritten = 0;

  /** Call it for each chunk. @param samples stored and new samples */
  add(samples: number): void {
    this.#rewritten += samples;
  }

  /**
   * Checks the limit before the payloads of chunks are read. Reads the number of stored samples only if they could exceed it.
   * @param buckets buckets that get samples
   * @param rows number of new samples
   * @throws SampleStoreError `TOO_SCATTERED`
   */
  async requireRoom(
    client: SqlClient,
    deviceId: number,
    buckets: readonly number[],
    rows: number,
  ): Promise<void> {
    const before = this.#rewritten + rows;
    if (before + buckets.length * MAX_CHUNK_SAMPLES <= MAX_REWRITTEN_SAMPLES) return;
    const { rows: counts } = await client.query<{ samples: SqlBigint }>(
      `SELECT coalesce(sum(n), 0)::bigint AS samples FROM sample_chunks
       WHERE device_id = $1 AND bucket = ANY($2::bigint[])`,
      [samplesOf(deviceId), buckets],
    );
    const rewritten = before + Number(counts[0]?.samples ?? 0);
    if (rewritten <= MAX_REWRITTEN_SAMPLES) return;
    throw new SampleStoreError(
      "TOO_SCATTERED",
      `The recording would rewrite at least ${rewritten} samples: its own, and those already stored in the same periods of five minutes. At most ${MAX_REWRITTEN_SAMPLES} are possible. Nothing was stored. Load the recording in several parts, each with its rows in order of time.`,
      { deviceId },
    );
  }
}
