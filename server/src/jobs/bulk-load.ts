import { AsiError } from "asi-convert";
import type { BulkLoadPayload } from "../domain/bulk-load/accept.js";
import { loadRecording, NoRecording } from "../domain/bulk-load/load.js";
import { ScatteredRecording } from "../domain/bulk-load/scattered.js";
import { QuotaExceeded } from "../domain/quotas.js";
import { JobFailed, type JobHandler } from "./handler.js";
import { vacuumEmbedded } from "./vacuum.js";

/** A transient fault is tried again three times, after 1, 2 and 4 seconds. */
export const bulkLoadHandler: JobHandler = {
  maxFailures: 3,
  delayMs: (failure) => 1000 * 2 ** (failure - 1),
  async run(ctx, job) {
    const { details, ...payload } = job.payload as unknown as BulkLoadPayload & {
      details?: Record<string, unknown>;
    };
    // A worker that was lost after its commit, before it could say so.
    if (details !== undefined) return details;
    try {
      const loaded = await loadRecording(ctx, job, payload);
      // It is about to be read. What is loaded stays so, whatever becomes of the tidying; the retention repeats it.
      await vacuumEmbedded(ctx, "sample_chunks").catch(() => undefined);
      return loaded;
    } catch (error) {
      if (error instanceof AsiError) throw new JobFailed(error.code, error.message);
      if (error instanceof NoRecording) throw new JobFailed("no_recording", error.message);
      if (error instanceof ScatteredRecording) throw new JobFailed(error.code, error.message);
      if (error instanceof QuotaExceeded) throw new JobFailed(error.code, error.advice);
      throw error;
    }
  },
};
