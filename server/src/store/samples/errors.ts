/**
 * Every way in which the sample store refuses what it is given.
 *
 * - `CORRUPT_CHUNK`: bytes that are no chunk of this codec (torn, foreign, or of a newer version)
 * - `BAD_SAMPLE`: a row handed in for storing that no chunk can hold
 */
export type SampleStoreErrorCode = "CORRUPT_CHUNK" | "BAD_SAMPLE";

/** Where in the store, or in the input, the trouble is. */
export interface SampleStorePlace {
  /** Device of the chunk. */
  deviceId?: number | undefined;
  /** Number of the 5-minute bucket of the chunk. */
  bucket?: number | undefined;
  /** Index of the row in the input, 0-based, counted over all batches. */
  row?: number | undefined;
  cause?: unknown;
}

/** The one error class of the sample store. The message says what is wrong and what to do about it. */
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
