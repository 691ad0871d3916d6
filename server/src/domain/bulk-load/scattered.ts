import { bucketOf, Pauses, type SampleColumns } from "../../store/samples/index.js";

/** Thrown when a recording has samples in more five-minute periods than one load may write. */
export class ScatteredRecording extends Error {
  override readonly name = "ScatteredRecording";
  readonly code = "too_scattered";
}

export const scatteredAdvice = (maxChunks: number) =>
  `The recording has samples in more than ${maxChunks} periods of five minutes. Load it in several parts, or ask the operator of the service for a higher BULK_LOAD_MAX_CHUNKS.`;

/**
 * Limits the five-minute periods of a load. Each is a row to read and write, in one transaction that blocks everyone on the
 * embedded database, so the cost of a load depends on periods as much as on samples.
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
