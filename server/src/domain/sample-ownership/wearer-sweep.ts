import type { Interval } from "../../store/samples/index.js";
import { type Aged, OldestFirst } from "./oldest-first.js";

/** A time frame of one manager on one device, closed. */
export interface FrameTime extends Interval, Aged {
  /** Whether it is of the athlete in question. */
  isOwn: boolean;
}

/** Times that a time frame adds to those of the athlete's earlier time frames. Ascending and disjoint. */
export interface WornTimes {
  frame: FrameTime;
  /** The oldest time frame that covers these is the athlete's. */
  own: Interval[];
  /** The oldest time frame that covers these is another athlete's. */
  others: Interval[];
}

/** Complete time frames that are removed from the list together, because removing one moves all that follow. */
const FORGOTTEN_AT_ONCE = 1_000;

interface Waiting extends WornTimes {
  fromMs: number;
  toMs: number;
}

/**
 * Goes once through the time frames of one manager on one device, in ascending order of their starts, and tells for each of the
 * athlete's which times are the athlete's. A time that several time frames of the athlete cover counts for the first of them.
 */
export class WearerSweep {
  /** The athlete's time frames whose end is not reached, ascending and disjoint; an empty one says nothing new. */
  readonly #waiting: Waiting[] = [];
  /** Those that cover the present time, and some that have ended. */
  readonly #covering = new OldestFirst<FrameTime>();
  #steps = 0;
  #done = 0;
  #atMs = Number.NEGATIVE_INFINITY;
  #ownThroughMs = Number.NEGATIVE_INFINITY;

  /** The work so far. */
  get steps(): number {
    return this.#steps + this.#covering.steps;
  }

  /** @returns the athlete's time frames that are complete with this one */
  add(frame: FrameTime): WornTimes[] {
    const { startMs, stopMs, isOwn } = frame;
    const complete = this.#advance(startMs);
    this.#covering.add(frame);
    if (isOwn) {
      const fromMs = Math.max(startMs, this.#ownThroughMs + 1);
      const toMs = stopMs < fromMs ? startMs - 1 : stopMs;
      this.#waiting.push({ frame, own: [], others: [], fromMs, toMs });
      this.#ownThroughMs = Math.max(this.#ownThroughMs, stopMs);
    }
    return complete;
  }

  /** @returns the rest of the athlete's time frames */
  end(): WornTimes[] {
    return this.#advance(Number.POSITIVE_INFINITY);
  }

  /** All time frames that start before a time are known, so everything before it is. */
  #advance(toMs: number): WornTimes[] {
    const complete: WornTimes[] = [];
    while (this.#atMs < toMs) {
      const oldest = this.#oldestNow();
      const throughMs = Math.min(oldest?.stopMs ?? Number.POSITIVE_INFINITY, toMs - 1);
      this.#give(throughMs, oldest?.isOwn === true ? "own" : "others", complete);
      this.#atMs = throughMs + 1;
    }
    if (this.#done === this.#waiting.length || this.#done >= FORGOTTEN_AT_ONCE) {
      this.#waiting.splice(0, this.#done);
      this.#done = 0;
    }
    return complete;
  }

  #oldestNow(): FrameTime | undefined {
    for (;;) {
      const { oldest } = this.#covering;
      if (oldest === undefined || oldest.stopMs >= this.#atMs) return oldest;
      this.#covering.removeOldest();
    }
  }

  /** Says of the times from the present one on whose they are. */
  #give(throughMs: number, whose: "own" | "others", complete: WornTimes[]): void {
    for (; this.#done < this.#waiting.length; this.#done++) {
      const one = this.#waiting[this.#done];
      if (one === undefined) return;
      this.#steps++;
      append(one[whose], Math.max(one.fromMs, this.#atMs), Math.min(one.toMs, throughMs));
      if (one.toMs > throughMs) return;
      complete.push({ frame: one.frame, own: one.own, others: one.others });
    }
  }
}

function append(intervals: Interval[], startMs: number, stopMs: number): void {
  if (startMs > stopMs) return;
  const last = intervals.at(-1);
  if (last !== undefined && last.stopMs === startMs - 1) last.stopMs = stopMs;
  else intervals.push({ startMs, stopMs });
}
