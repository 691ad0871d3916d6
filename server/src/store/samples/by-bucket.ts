import { bucketOf } from "./bucket.js";
import { allocateColumns, type SampleColumns } from "./columns.js";
import { copySample } from "./merge.js";
import { Pauses } from "./pauses.js";

/** Samples in the order of their buckets. Within a bucket, they keep their order, which determines the ones that are stored. */
export class SamplesByBucket {
  /** Ascending. */
  readonly buckets: readonly number[];
  readonly #batches: readonly SampleColumns[];
  /** Number of the first sample of each batch. */
  readonly #firsts: readonly number[];
  /** Numbers of the samples by bucket. */
  readonly #order: Uint32Array;
  /** Places in `#order` at which the buckets begin, and the number of samples. */
  readonly #starts: readonly number[];

  private constructor(batches: readonly SampleColumns[], sizes: ReadonlyMap<number, number>) {
    this.#batches = batches;
    this.buckets = [...sizes.keys()].sort((a, b) => a - b);
    const starts = [0];
    for (const bucket of this.buckets) starts.push((starts.at(-1) ?? 0) + (sizes.get(bucket) ?? 0));
    this.#starts = starts;
    const firsts: number[] = [];
    let first = 0;
    for (const { length } of batches) {
      firsts.push(first);
      first += length;
    }
    this.#firsts = firsts;
    this.#order = new Uint32Array(first);
  }

  /** @param batches must not change while the result is used */
  static async of(batches: readonly SampleColumns[]): Promise<SamplesByBucket> {
    const sizes = new Map<number, number>();
    await forEachRun(batches, (bucket, _first, length) =>
      sizes.set(bucket, (sizes.get(bucket) ?? 0) + length),
    );
    const samples = new SamplesByBucket(batches, sizes);
    const next = new Map(samples.buckets.map((bucket, place) => [bucket, samples.#starts[place] ?? 0]));
    await forEachRun(batches, (bucket, first, length) => {
      const at = next.get(bucket) ?? 0;
      for (let i = 0; i < length; i++) samples.#order[at + i] = first + i;
      next.set(bucket, at + length);
    });
    return samples;
  }

  /** Number of samples before those of the bucket at this place. */
  startOf(place: number): number {
    return this.#starts[place] ?? 0;
  }

  /** Copies the samples `[from, to)`. */
  copy(from: number, to: number): SampleColumns {
    const copied = allocateColumns(to - from);
    let batch = 0;
    for (let at = from; at < to; at++) {
      const number = this.#order[at] ?? 0;
      if (number < (this.#firsts[batch] ?? 0)) batch = 0;
      while (number >= (this.#firsts[batch + 1] ?? Number.POSITIVE_INFINITY)) batch++;
      const columns = this.#batches[batch];
      if (columns !== undefined) copySample(columns, number - (this.#firsts[batch] ?? 0), copied, at - from);
    }
    return copied;
  }
}

/** Calls `found` for each run of successive samples in one bucket. */
async function forEachRun(
  batches: readonly SampleColumns[],
  found: (bucket: number, first: number, length: number) => void,
): Promise<void> {
  const pauses = new Pauses();
  let first = 0;
  for (const { timestampMs, length } of batches) {
    await pauses.pauseIfDue();
    for (let from = 0; from < length; ) {
      const bucket = bucketOf(timestampMs[from] ?? 0);
      let to = from + 1;
      while (to < length && bucketOf(timestampMs[to] ?? 0) === bucket) to++;
      found(bucket, first + from, to - from);
      from = to;
    }
    first += length;
  }
}
