/**
 * The error codes of the sample store.
 *
 * - `CORRUPT_CHUNK`: bytes that are not a chunk of this codec (truncated, foreign, or of a newer version)
 * - `BAD_SAMPLE`: a sample that cannot be stored in a chunk
 */
export type SampleStoreErrorCode = "CORRUPT_CHUNK" | "BAD_SAMPLE";

/** Where the error is in the store or in the input. */
export interface SampleStorePlace {
  /** Device of the chunk. */
  deviceId?: number | undefined;
  /** Number of the 5-minute bucket of the chunk. */
  bucket?: number | undefined;
  /** Index of the sample in the input, from 0, counted over all batches. */
  row?: number | undefined;
  cause?: unknown;
}

/** The error class of the sample store. The message says what is wrong and what to do. */
export class SampleStoreError extends Error {
  override readonly name = "SampleStoreError";
  readonly code: SampleStoreErrorCode;
  readonly deviceId: number | undefined;
  readonly bucket: number | undefined;
  readonly row: number | undefined;

  constructor(code: SampleStoreErrorCode, message: string, place: SampleStorePlace = {}) {
    super(message, place.cause === undefined ? undefined : { cause: place.cause });
    this.code = code;
    this.deviceId = place.deviceId;
    this.bucket = place.bucket;
    this.row = place.row;
  }
}
