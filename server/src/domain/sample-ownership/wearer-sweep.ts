import type { Interval } from "../../store/samples/index.js";
import { type Aged, OldestFirst } from "./oldest-first.js";

/** A time frame of one manager on one device, as a closed interval. */
export interface FrameTime extends Interval, Aged {
  /** Whether the time frame belongs to the athlete. */
  isOwn: boolean;
}

/** Times that a time frame adds to earlier time frames of the athlete. Ascending and disjoint. */
export interface WornTimes {
  frame: FrameTime;
  /** Times whose oldest time frame belongs to the athlete. */
  own: Interval[];
  /** Times whose oldest time frame belongs to another athlete. */
  others: Interval[];
}

/** Number of complete time frames removed from the list together, because a removal moves all later ones. */
const FORGOTTEN_AT_ONCE = 1_000;

interface Waiting extends WornTimes {
  fromMs: number;
  toMs: number;
}

/**
 * Sweeps over the time frames of one manager on one device in ascending order of their starts. For each time frame of
 * the athlete, determines the times that belong to the athlete. A time covered by several time frames of the athlete
 * counts for the first one.
 */
export class WearerSweep {
  /** The athlete's time frames that have not ended, ascending and disjoint; an empty time frame adds no times. */
  readonly #waiting: Waiting[] = [];
  /** Time frames that cover the current time, and some that have ended. */
  readonly #covering = new OldestFirst<FrameTime>();
  #steps = 0;
  #done = 0;
  #atMs = Number.NEGATIVE_INFINITY;
  #ownThroughMs = Number.NEGATIVE_INFINITY;

  /** Number of steps so far. */
  get steps(): number {
    return this.#steps + this.#covering.steps;
  }

  /** @returns the athlete's time frames that are complete after this one */
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

  /** @returns the remaining time frames of the athlete */
  end(): WornTimes[] {
    return this.#advance(Number.POSITIVE_INFINITY);
  }

  /** Advances to a time. All time frames that start before it are known, so all earlier times can be assigned. */
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

  /** Assigns the times from the current time through `throughMs`. */
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
