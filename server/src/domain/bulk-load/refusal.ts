import {
  bucketOf,
  Pauses,
  type SampleColumns,
  SampleStoreError,
  type SampleStoreErrorCode,
} from "../../store/samples/index.js";

/** Stable codes of recordings that a limit refuses. */
type RefusalCode = "too_dense" | "too_scattered";

/** Thrown when storing a recording would exceed a limit on samples or five-minute periods. */
export class RecordingRefused extends Error {
  override readonly name = "RecordingRefused";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const CODES: Partial<Record<SampleStoreErrorCode, RefusalCode>> = {
  TOO_DENSE: "too_dense",
  TOO_SCATTERED: "too_scattered",
};

/** Returns the refusal for an error of the store that a limit has caused, otherwise the error itself. */
export function refusalFor(error: unknown): unknown {
  const code = error instanceof SampleStoreError ? CODES[error.code] : undefined;
  return error instanceof SampleStoreError && code !== undefined
    ? new RecordingRefused(code, error.message, error)
    : error;
}

export const scatteredAdvice = (maxChunks: number) =>
  `The recording has samples in more than ${maxChunks} periods of five minutes. Load it in several parts, or ask the operator of the service for a higher BULK_LOAD_MAX_CHUNKS.`;

/**
 * Limits the five-minute periods of a load. The load reads and writes a row for each period. The cost of a load thus depends on the periods as much as on the samples.
 * @throws RecordingRefused `too_scattered`
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
      throw new RecordingRefused("too_scattered", scatteredAdvice(maxChunks));
    }
  }
}
