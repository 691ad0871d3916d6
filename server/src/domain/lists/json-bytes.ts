/** JSON text of a `T` as UTF-8, for results too long to create objects for their parts. */
export class JsonBytes<T> {
  /** Makes `JsonBytes` of different types incompatible. Does not exist at run time. */
  protected declare readonly value: T;
  readonly bytes: Uint8Array;
  /** Whether the bytes are compressed. */
  readonly isGzipped: boolean;

  constructor(bytes: Uint8Array, isGzipped = false) {
    this.bytes = bytes;
    this.isGzipped = isGzipped;
  }
}
