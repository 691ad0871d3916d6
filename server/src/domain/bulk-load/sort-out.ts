import type { SampleBatch } from "asi-convert";
import type { Interval, SampleColumns } from "../../store/samples/index.js";

/** How far ahead of the server's clock a device's clock may be. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Whose the times of a device are: closed intervals. */
export interface Times {
  /** Owned by the manager who loads. */
  own: readonly Interval[];
  /** Owned by other managers. */
  others: readonly Interval[];
  nowMs: number;
}

const isIn = (intervals: readonly Interval[], ms: number) =>
  intervals.some(({ startMs, stopMs }) => startMs <= ms && ms <= stopMs);

/**
 * Keeps of a recording what may be stored: nothing from the time of another manager's ownership, so that no one writes
 * into another's history, and nothing more than 24 hours ahead.
 */
export class SampleFilter {
  read = 0;
  refused = 0;
  /** Kept, but from a time in which no one owned the device. */
  unreadable = 0;
  readonly #times: Times;
  readonly #kept: number[] = [];

  constructor(times: Times) {
    this.#times = times;
  }

  /** Times of what was kept, in the order of the recording, ms since 1970 UTC. */
  get keptTimes(): readonly number[] {
    return this.#kept;
  }

  async *filter(batches: AsyncIterable<SampleBatch>): AsyncGenerator<SampleColumns, void, undefined> {
    for await (const batch of batches) {
      this.read += batch.length;
      const kept = this.#keep(batch);
      if (kept.length > 0) yield kept;
    }
  }

  /** Moves what is kept to the front of the batch's own columns. */
  #keep(batch: SampleBatch): SampleColumns {
    const { own, others, nowMs } = this.#times;
    let to = 0;
    for (let from = 0; from < batch.length; from++) {
      const ms = batch.timestampMs[from] ?? 0;
      if (ms > nowMs + MAX_AHEAD_MS || isIn(others, ms)) {
        this.refused++;
        continue;
      }
      if (!isIn(own, ms)) this.unreadable++;
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
