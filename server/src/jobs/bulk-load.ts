import { AsiError } from "asi-convert";
import type { BulkLoadPayload } from "../domain/bulk-load/accept.js";
import { loadRecording, NoRecording } from "../domain/bulk-load/load.js";
import { ScatteredRecording } from "../domain/bulk-load/scattered.js";
import { QuotaExceeded } from "../domain/change/quotas.js";
import { JobFailed, type JobHandler } from "./handler.js";
import { vacuumEmbedded } from "./vacuum.js";

/** A transient error is retried three times, after 1, 2 and 4 seconds. */
export const bulkLoadHandler: JobHandler = {
  maxFailures: 3,
  delayMs: (failure) => 1000 * 2 ** (failure - 1),
  counts: ({ samples_stored, samples_known, samples_refused }) => ({
    stored: Number(samples_stored),
    known: Number(samples_known),
    refused: Number(samples_refused),
  }),
  async run(ctx, job) {
    const { details, ...payload } = job.payload as unknown as BulkLoadPayload & {
      details?: Record<string, unknown>;
    };
    // A worker committed, but stopped before it could record the outcome.
    if (details !== undefined) return details;
    try {
      const loaded = await loadRecording(ctx, job, payload);
      // The samples will soon be read. The load succeeds even if this vacuum fails; the retention repeats it.
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
