import { concatColumns, type Interval, type SampleColumns } from "../../store/samples/index.js";
import { intervalSearch } from "./interval-search.js";

/** The owners of a device over time, as closed intervals from `normaliseIntervals`. */
export interface Times {
  /** Intervals owned by the manager who loads. */
  own: readonly Interval[];
  /** Intervals owned by other managers. */
  others: readonly Interval[];
  /** Latest allowed time of a sample, ms since 1970 UTC. */
  latestMs: number;
}

/**
 * Keeps the samples of a recording that may be stored: samples from times at which the loading manager owned the device and that
 * are not too far in the future. A sample recorded while the device had no owner would belong to nobody, or later to a manager if
 * an ownership is extended over that time.
 */
export class SampleFilter {
  read = 0;
  refused = 0;
  /** Number of rejected samples from the time in which the device had no owner. */
  unowned = 0;
  readonly #times: Times;
  readonly #isOwn: (ms: number) => boolean;
  readonly #isOthers: (ms: number) => boolean;
  readonly #kept: number[] = [];

  constructor(times: Times) {
    this.#times = times;
    this.#isOwn = intervalSearch(times.own);
    this.#isOthers = intervalSearch(times.others);
  }

  /** Times of the samples that `filter` has kept, in the order of the recording, ms since 1970 UTC. */
  get keptTimes(): readonly number[] {
    return this.#kept;
  }

  /** Does not modify the batches, because a transaction may have to be repeated. */
  *filter(batches: Iterable<SampleColumns>): Generator<SampleColumns, void, undefined> {
    for (const batch of batches) {
      const kept = this.keep(concatColumns([batch]));
      for (let i = 0; i < kept.length; i++) this.#kept.push(kept.timestampMs[i] ?? 0);
      if (kept.length > 0) yield kept;
    }
  }

  /** Moves the kept samples to the front of the columns of the batch. Does not add them to `keptTimes`. */
  keep(batch: SampleColumns): SampleColumns {
    const { latestMs } = this.#times;
    this.read += batch.length;
    let to = 0;
    for (let from = 0; from < batch.length; from++) {
      const ms = batch.timestampMs[from] ?? 0;
      if (ms > latestMs || !this.#isOwn(ms)) {
        this.refused++;
        if (ms <= latestMs && !this.#isOthers(ms)) this.unowned++;
        continue;
      }
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
