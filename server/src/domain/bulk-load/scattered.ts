import { bucketOf, Pauses, type SampleColumns } from "../../store/samples/index.js";

/** Thrown when a recording has samples in more five-minute periods than one load may write. */
export class ScatteredRecording extends Error {
  override readonly name = "ScatteredRecording";
  readonly code = "too_scattered";
}

export const scatteredAdvice = (maxChunks: number) =>
  `The recording has samples in more than ${maxChunks} periods of five minutes. Load it in several parts, or ask the operator of the service for a higher BULK_LOAD_MAX_CHUNKS.`;

/**
 * Limits the five-minute periods of a load. The load reads and writes a row for each period, in one transaction that
 * blocks all others in the embedded database. The cost of a load thus depends on the periods as much as on the samples.
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
      throw new ScatteredRecording(scatteredAdvice(maxChunks));
    }
  }
}
