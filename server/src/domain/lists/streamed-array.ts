/** An array that is too large for memory. Its elements are read and sent in batches. */
export class StreamedArray<T> {
  readonly #batches: AsyncIterable<T[]>;
  /** Bytes in memory during the transfer. */
  readonly heldBytes: number;

  constructor(batches: AsyncIterable<T[]>, heldBytes: number) {
    this.#batches = batches;
    this.heldBytes = heldBytes;
  }

  /** Yields the array as JSON text in pieces. */
  async *json(): AsyncGenerator<string> {
    yield "[";
    yield* separatedJson(this.#batches);
    yield "]";
  }
}

/** Yields values as JSON texts with commas in between. */
export async function* separatedJson(batches: AsyncIterable<unknown[]>): AsyncGenerator<string> {
  let separator = "";
  for await (const batch of batches) {
    for (const value of batch) {
      yield separator + JSON.stringify(value);
      separator = ",";
    }
  }
}
