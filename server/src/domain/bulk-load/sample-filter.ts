import { concatColumns, type Interval, type SampleColumns } from "../../store/samples/index.js";
import { intervalSearch } from "./interval-search.js";

/** The owners of a device over time, as closed intervals from `normaliseIntervals`. */
export interface Times {
  /** Owned by the manager who loads. */
  own: readonly Interval[];
  /** Owned by other managers. */
  others: readonly Interval[];
  /** Whether the manager who loads owns the device now. */
  isOwner: boolean;
  /** The latest time that a sample may have, ms since 1970 UTC. */
  latestMs: number;
}

/**
 * Keeps the samples of a recording that may be stored. Refuses samples from the time of another manager's ownership, so
 * that nobody can write into the history of another manager, and samples too far ahead of the clock. Accepts samples from
 * a time without an owner only when the current owner loads them: such a time may become part of an ownership, and its
 * owner would then read the samples.
 */
export class SampleFilter {
  read = 0;
  refused = 0;
  /** Kept, but from a time in which nobody owned the device. */
  unreadable = 0;
  readonly #times: Times;
  readonly #isOwn: (ms: number) => boolean;
  readonly #isOthers: (ms: number) => boolean;
  readonly #kept: number[] = [];

  constructor(times: Times) {
    this.#times = times;
    this.#isOwn = intervalSearch(times.own);
    this.#isOthers = intervalSearch(times.others);
  }

  /** Times of the kept samples in the order of the recording, ms since 1970 UTC. */
  get keptTimes(): readonly number[] {
    return this.#kept;
  }

  /** Does not modify the batches: a transaction may have to be repeated. */
  *filter(batches: Iterable<SampleColumns>): Generator<SampleColumns, void, undefined> {
    for (const batch of batches) {
      this.read += batch.length;
      const kept = this.#keep(concatColumns([batch]));
      if (kept.length > 0) yield kept;
    }
  }

  /** Moves the kept samples to the front of the columns of the batch. */
  #keep(batch: SampleColumns): SampleColumns {
    const { isOwner, latestMs } = this.#times;
    let to = 0;
    for (let from = 0; from < batch.length; from++) {
      const ms = batch.timestampMs[from] ?? 0;
      const isOwn = this.#isOwn(ms);
      if (ms > latestMs || this.#isOthers(ms) || !(isOwn || isOwner)) {
        this.refused++;
        continue;
      }
      if (!isOwn) this.unreadable++;
      this.#kept.push(ms);
      if (from !== to) {
        batch.timestampMs[to] = ms;
        batch.latitudeE7[to] = batch.latitudeE7[from] ?? 0;
        batch.longitudeE7[to] = batch.longitudeE7[from] ?? 0;
        batch.altitudeMm[to] = batch.altitudeMm[from] ?? 0;
        batch.speedMmPerS[to] = batch.speedMmPerS[from] ?? 0;
        batch.hr[to] = batch.hr[from] ?? 0;
        batch.fixType[to] = batch.fixType[from] ?? 0;
      }
      to++;
    }
    return { ...batch, length: to };
  }
}
