import type { Produced, RangeBreak, Span } from "../engine/engine.js";
import { NumberList, withList } from "../engine/lists.js";
import { copyRow, newBatch, rowsBetween } from "../rows/sample-batch.js";
import type { SampleBatch } from "../types.js";

/** Rows, and the positions at which a new range starts. */
export interface RowsOfStep {
  readonly batch: SampleBatch;
  readonly breaks: readonly RangeBreak[];
}

/**
 * Selects the row of each range that is nearest to each multiple of `everyMs` since 1970 UTC. A row belongs to the multiple
 * nearest to its time, or to the later one if two are equally near. Of consecutive rows for the same multiple, the nearest one is
 * kept, or the first one if several are equally near. Rows keep their own times. A multiple without rows has no output row, so
 * gaps remain gaps. Every range keeps at least one row. If times go back to a multiple that already has a row, further rows for
 * it are dropped, so that no multiple of a range has two rows.
 */
export class RowThinning {
  readonly #everyMs: number;
  readonly #hasQuality: boolean;
  /** The multiples of this range that already have a row. */
  readonly #taken = new IntegerSet();
  /** The nearest row for the current multiple, copied from an earlier step. */
  readonly #carried: SampleBatch;
  /** The nearest row for the current multiple so far, in the rows of this step or in `#carried`; null before the first row. */
  #nearest: { rows: SampleBatch; index: number } | null = null;
  #multiple = 0;
  #distanceMs = 0;
  #kept: SampleBatch;
  #length = 0;
  #rows = 0;
  /** Two numbers for each range except the last: its earliest and latest kept row. */
  readonly #spans = new NumberList();
  #earliest = Number.POSITIVE_INFINITY;
  #latest = Number.NEGATIVE_INFINITY;

  /** @param hasQuality whether the rows have the columns of `quality` */
  constructor(everyMs: number, hasQuality: boolean) {
    this.#everyMs = everyMs;
    this.#hasQuality = hasQuality;
    this.#carried = newBatch(1, hasQuality);
    this.#kept = newBatch(1, hasQuality);
  }

  /**
   * Returns the kept rows of a step, which are valid until the next call. Whether the last row of a step is kept is not yet
   * known.
   */
  step({ batch, breaks }: RowsOfStep): RowsOfStep {
    if (this.#kept.timestampMs.length <= batch.length) {
      this.#kept = newBatch(2 * batch.length, this.#hasQuality);
    }
    this.#length = 0;
    const keptBreaks: RangeBreak[] = [];
    const spans: number[] = [];
    let from = 0;
    for (const { outputOffset: to } of breaks) {
      this.#passRange(batch, from, to);
      this.#keepNearest();
      if (this.#rows > 0) spans.push(this.#earliest, this.#latest);
      this.#earliest = Number.POSITIVE_INFINITY;
      this.#latest = Number.NEGATIVE_INFINITY;
      this.#taken.clear();
      keptBreaks.push({ outputOffset: this.#length });
      from = to;
    }
    this.#passRange(batch, from, batch.length);
    this.#carryNearest();
    this.#spans.append(Float64Array.from(spans));
    return { batch: rowsBetween(this.#kept, 0, this.#length), breaks: keptBreaks };
  }

  /** Returns the last kept row, after all steps. */
  end(): RowsOfStep {
    this.#length = 0;
    this.#keepNearest();
    return { batch: rowsBetween(this.#kept, 0, this.#length), breaks: [] };
  }

  /** Describes the rows kept so far. */
  produced(): Produced {
    const rows = this.#rows;
    if (rows === 0) return { rows, start: null, end: null, spans: [] };
    const last = { start: this.#earliest, end: this.#latest };
    const pieces = this.#spans.pieces();
    let { start, end } = last;
    for (const span of spansOf(pieces)) {
      start = Math.min(start, span.start);
      end = Math.max(end, span.end);
    }
    return withList({ rows, start, end }, "spans", this.#spans.length / 2 + 1, () => [
      ...spansOf(pieces),
      last,
    ]);
  }

  #passRange(batch: SampleBatch, from: number, to: number): void {
    for (let index = from; index < to; index++) {
      const ms = batch.timestampMs[index] as number;
      const multiple = Math.round(ms / this.#everyMs);
      const distanceMs = Math.abs(ms - multiple * this.#everyMs);
      if (this.#nearest !== null && multiple === this.#multiple) {
        if (distanceMs >= this.#distanceMs) continue;
        this.#nearest.rows = batch;
        this.#nearest.index = index;
      } else if (this.#taken.has(multiple)) {
        continue;
      } else {
        this.#keepNearest();
        this.#nearest = { rows: batch, index };
        this.#multiple = multiple;
      }
      this.#distanceMs = distanceMs;
    }
  }

  #keepNearest(): void {
    if (this.#nearest === null) return;
    const { rows, index } = this.#nearest;
    copyRow(rows, index, this.#kept, this.#length);
    this.#length += 1;
    this.#rows += 1;
    const ms = rows.timestampMs[index] as number;
    this.#earliest = Math.min(this.#earliest, ms);
    this.#latest = Math.max(this.#latest, ms);
    this.#taken.add(this.#multiple);
    this.#nearest = null;
  }

  // the next step overwrites the rows of this one
  #carryNearest(): void {
    if (this.#nearest === null) return;
    copyRow(this.#nearest.rows, this.#nearest.index, this.#carried, 0);
    this.#nearest = { rows: this.#carried, index: 0 };
  }
}

const CHUNK = 1024;

/** A set of integers that are mostly close to each other. It stores one bit for each integer, in chunks of 1024 bits. */
class IntegerSet {
  readonly #chunks = new Map<number, Uint32Array>();
  // the most recently used chunk, because the next integer is almost always in it
  #key = Number.NaN;
  #chunk: Uint32Array | undefined;

  has(integer: number): boolean {
    const at = this.#place(integer);
    return this.#chunk !== undefined && (((this.#chunk[at >> 5] ?? 0) >>> (at & 31)) & 1) === 1;
  }

  add(integer: number): void {
    const at = this.#place(integer);
    if (this.#chunk === undefined) {
      this.#chunk = new Uint32Array(CHUNK / 32);
      this.#chunks.set(this.#key, this.#chunk);
    }
    this.#chunk[at >> 5] = (this.#chunk[at >> 5] ?? 0) | (1 << (at & 31));
  }

  clear(): void {
    this.#chunks.clear();
    this.#key = Number.NaN;
    this.#chunk = undefined;
  }

  /** Selects the chunk of an integer, and returns its index in it. */
  #place(integer: number): number {
    const key = Math.floor(integer / CHUNK);
    if (key !== this.#key) {
      this.#key = key;
      this.#chunk = this.#chunks.get(key);
    }
    return integer - key * CHUNK;
  }
}

function* spansOf(pieces: readonly Float64Array[]): Generator<Span> {
  for (const numbers of pieces) {
    for (let i = 0; i < numbers.length; i += 2) {
      yield { start: numbers[i] as number, end: numbers[i + 1] as number };
    }
  }
}
