import type { Interval } from "../../store/samples/index.js";

/** A time frame of one manager on one device, closed. */
export interface FrameTime extends Interval {
  id: number;
  /** Whether it is of the athlete in question. */
  isOwn: boolean;
}

/** Times that a time frame adds to those of the athlete's earlier time frames. Ascending and disjoint. */
export interface WornTimes {
  frame: FrameTime;
  /** No time frame of another athlete covers these. */
  alone: Interval[];
  /** A time frame of another athlete covers these too. */
  shared: Interval[];
}

/** Complete time frames that are removed from the list together, because removing one moves all that follow. */
const FORGOTTEN_AT_ONCE = 1_000;

interface Waiting extends WornTimes {
  fromMs: number;
  toMs: number;
}

/**
 * Goes once through the time frames of one manager on one device, in ascending order of their starts, and tells for each of the
 * athlete's which times are the athlete's alone. A time that several time frames of the athlete cover counts for the first of them.
 */
export class WearerSweep {
  /** Comparisons so far: at most two for each time frame. */
  steps = 0;
  /** The athlete's time frames whose end is not reached, ascending and disjoint; an empty one says nothing new. */
  readonly #waiting: Waiting[] = [];
  #done = 0;
  #atMs = Number.NEGATIVE_INFINITY;
  #ownThroughMs = Number.NEGATIVE_INFINITY;
  #othersThroughMs = Number.NEGATIVE_INFINITY;

  /** @returns the athlete's time frames that are complete with this one */
  add(frame: FrameTime): WornTimes[] {
    const { startMs, stopMs, isOwn } = frame;
    const complete = this.#advance(startMs);
    if (isOwn) {
      const fromMs = Math.max(startMs, this.#ownThroughMs + 1);
      this.#waiting.push({
        frame,
        alone: [],
        shared: [],
        fromMs,
        toMs: stopMs < fromMs ? startMs - 1 : stopMs,
      });
      this.#ownThroughMs = Math.max(this.#ownThroughMs, stopMs);
    } else this.#othersThroughMs = Math.max(this.#othersThroughMs, stopMs);
    return complete;
  }

  /** @returns the rest of the athlete's time frames */
  end(): WornTimes[] {
    return this.#advance(Number.POSITIVE_INFINITY);
  }

  /** All time frames that start before a time are known, so everything before it is. */
  #advance(toMs: number): WornTimes[] {
    const complete: WornTimes[] = [];
    for (; this.#done < this.#waiting.length; this.#done++) {
      const one = this.#waiting[this.#done];
      if (one === undefined) break;
      this.steps++;
      this.#cover(one, Math.max(one.fromMs, this.#atMs), Math.min(one.toMs, toMs - 1));
      if (one.toMs >= toMs) break;
      complete.push({ frame: one.frame, alone: one.alone, shared: one.shared });
    }
    if (this.#done === this.#waiting.length || this.#done >= FORGOTTEN_AT_ONCE) {
      this.#waiting.splice(0, this.#done);
      this.#done = 0;
    }
    this.#atMs = toMs;
    return complete;
  }

  #cover({ alone, shared }: Waiting, fromMs: number, toMs: number): void {
    const through = this.#othersThroughMs;
    append(shared, fromMs, Math.min(toMs, through));
    append(alone, Math.max(fromMs, through + 1), toMs);
  }
}

function append(intervals: Interval[], startMs: number, stopMs: number): void {
  if (startMs > stopMs) return;
  const last = intervals.at(-1);
  if (last !== undefined && last.stopMs === startMs - 1) last.stopMs = stopMs;
  else intervals.push({ startMs, stopMs });
}
