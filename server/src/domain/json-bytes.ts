/** The JSON text of a `T` as UTF-8: of answers that are too long to make an object for each of their parts. */
export class JsonBytes<T> {
  /** Tells the types of different texts apart; there is no such member. */
  protected declare readonly value: T;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}
