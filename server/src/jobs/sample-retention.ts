import { sql } from "drizzle-orm";
import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { type Run, removeNoted } from "../domain/raw-data/noted-removal.js";
import { isUnavailable } from "../store/connection/database-errors.js";
import { chunkTables, deleteStoredBefore, listStoredBefore, sqlClientOf } from "../store/samples/index.js";

const DAY_MS = 86_400_000;

/**
 * Maximum number of chunks that one query lists. One transaction removes the chunks of one device, so other transactions wait
 * only briefly.
 */
const CHUNKS_AT_ONCE = 1000;

/**
 * Removes samples that were stored too long ago, regardless of when they were recorded. If the samples are on several servers, an
 * unreachable one does not prevent removal on the others.
 * @param signal stops it after the current transaction
 * @param onRemoved called after each transaction that removed samples
 * @throws the error of an unreachable server, after the others are done
 */
export async function applySampleRetention(
  ctx: Context,
  signal: AbortSignal | undefined,
  onRemoved: (kind: "samples", count: number) => void,
): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.rawRetentionDays * DAY_MS);
  let failure: unknown;
  for (const table of await chunkTables(sqlClientOf(ctx.queries))) {
    try {
      await removeFrom(ctx, table, before, signal, (count) => onRemoved("samples", count));
      // PostgreSQL analyzes its own tables automatically, but not tables on other servers.
      if (table !== "sample_chunks") await ctx.queries.execute(sql.raw(`ANALYZE ${table}`));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

async function removeFrom(
  ctx: Context,
  table: string,
  before: Date,
  signal: AbortSignal | undefined,
  onRemoved: (count: number) => void,
): Promise<void> {
  const run: Run = (work) => transact(ctx, "sample retention", work);
  for (let count = CHUNKS_AT_ONCE; count === CHUNKS_AT_ONCE && !signal?.aborted; ) {
    const expired = await listStoredBefore(sqlClientOf(ctx.queries), table, before, CHUNKS_AT_ONCE);
    count = 0;
    for (const [deviceId, buckets] of expired) {
      count += buckets.length;
      if (signal?.aborted) return;
      const samples = await removeNoted(run, async (unit) => {
        const chunks = await deleteStoredBefore(sqlClientOf(unit.queries), deviceId, buckets, before);
        const removed = chunks.map(({ startMs, stopMs }) => ({ startMs, stopMs }));
        const samples = chunks.reduce((sum, { size }) => sum + size, 0);
        if (samples > 0) await unit.announce("samplesExpired", { deviceId, removed, count: samples });
        return samples;
      });
      if (samples > 0) onRemoved(samples);
    }
  }
}
