import { bucketOf, Pauses, type SampleColumns } from "../../store/samples/index.js";

/** The samples of a recording fall into more periods of five minutes than one load may write. */
export class ScatteredRecording extends Error {
  override readonly name = "ScatteredRecording";
  readonly code = "too_scattered";
}

/**
 * Each period of five minutes with samples is a row to read and to write, in one transaction that blocks everyone on
 * the embedded database. The cost of a load depends on these periods as much as on its samples.
 * @throws ScatteredRecording
 */
export async function requireFewChunks(batches: Iterable<SampleColumns>, maxChunks: number): Promise<void> {
  const buckets = new Set<number>();
  const pauses = new Pauses();
  for (const { timestampMs, length } of batches) {
    await pauses.pauseIfDue();
    let last: number | undefined;
    for (let i = 0; i < length; i++) {
      const bucket = bucketOf(timestampMs[i] ?? 0);
      if (bucket === last) continue;
      last = bucket;
      buckets.add(bucket);
      if (buckets.size <= maxChunks) continue;
      throw new ScatteredRecording(
        `The recording has samples in more than ${maxChunks} periods of five minutes. Load it in several parts, or ask the operator of the service for a higher BULK_LOAD_MAX_CHUNKS.`,
      );
    }
  }
}
