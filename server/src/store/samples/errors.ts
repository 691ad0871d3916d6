/**
 * Error codes of the sample store.
 *
 * - `CORRUPT_CHUNK`: bytes that are not a chunk of this codec (truncated, of another format, or of a newer version)
 * - `BAD_SAMPLE`: a sample that cannot be stored in a chunk
 * - `TOO_DENSE`: a chunk would have too many samples
 * - `TOO_SCATTERED`: a load would rewrite too many samples
 */
export type SampleStoreErrorCode = "CORRUPT_CHUNK" | "BAD_SAMPLE" | "TOO_DENSE" | "TOO_SCATTERED";

/** Location of the error in the store or in the input. */
export interface SampleStorePlace {
  /** Device of the chunk. */
  deviceId?: number | undefined;
  /** Number of the 5-minute bucket of the chunk. */
  bucket?: number | undefined;
  /** Index of the sample in the input, from 0, counted over all batches. */
  row?: number | undefined;
  cause?: unknown;
}

/** Error of the sample store. The message describes the problem and the remedy. */
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
