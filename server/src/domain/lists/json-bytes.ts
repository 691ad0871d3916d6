/** The JSON text of a `T` as UTF-8, for results that are too long to create an object for each of their parts. */
export class JsonBytes<T> {
  /** Makes `JsonBytes` of different types incompatible; the member does not exist at run time. */
  protected declare readonly value: T;
  readonly bytes: Uint8Array;
  /** Whether the bytes are compressed. */
  readonly isGzipped: boolean;

  constructor(bytes: Uint8Array, isGzipped = false) {
    this.bytes = bytes;
    this.isGzipped = isGzipped;
  }
}
