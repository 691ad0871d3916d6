import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Interval, SessionPeriod } from "asi-convert/squad";
import { extentOf } from "./clock/period-lanes.js";
import { halvesIn } from "./scope.js";
import type { SquadSession } from "./squad-session.js";

/** Playback speeds, as multiples of real time. */
export const SPEEDS = [1, 5, 10, 30, 60] as const;
export type Speed = (typeof SPEEDS)[number];

/** After a longer pause of the browser, playback continues without a jump. */
const LONGEST_FRAME_MS = 250;
/** Step for users who prefer reduced motion. */
const STEP_MS = 1000;
/** A period is over when less than this time remains. */
const END_MS = 1000;

/** A period with the time from its first start to its last end. */
export interface TimedPeriod extends Interval {
  name: string;
}

/** Returns the periods in the order of their starts. */
export function timedPeriods(periods: readonly SessionPeriod[]): TimedPeriod[] {
  return periods
    .flatMap((period) => {
      const extent = extentOf(period);
      return extent === null ? [] : [{ name: period.name, startMs: extent.startMs, endMs: extent.endMs }];
    })
    .sort((a, b) => a.startMs - b.startMs);
}

/** Returns the shortest period around an instant, which is a drill rather than the half that contains it. */
export function periodAt(periods: readonly TimedPeriod[], ms: number): TimedPeriod | null {
  return periods
    .filter(({ startMs, endMs }) => ms >= startMs && ms < endMs)
    .reduce<TimedPeriod | null>(
      (least, one) => (least === null || one.endMs - one.startMs < least.endMs - least.startMs ? one : least),
      null,
    );
}

/**
 * Returns the time after a step of playback. Playback stops just before the end of the current period, because all players are then
 * visible. Between periods, it continues at the start of the next one.
 */
export function playedOn(
  ms: number,
  byMs: number,
  periods: readonly TimedPeriod[],
  whole: Interval,
): { ms: number; isOver: boolean } {
  const period = periodAt(periods, ms);
  const next = periods.find(({ startMs }) => startMs > ms);
  const stopMs = period === null ? (next?.startMs ?? whole.endMs - 1) : period.endMs - 1;
  return ms + byMs >= stopMs ? { ms: stopMs, isOver: true } : { ms: ms + byMs, isOver: false };
}

/** Returns the time at which playback begins if the user starts it at an instant. */
export function playFrom(ms: number, periods: readonly TimedPeriod[], whole: Interval): number {
  const period = periodAt(periods, ms) ?? whole;
  if (period.endMs - ms > END_MS) return ms;
  return periods.find(({ startMs }) => startMs > ms)?.startMs ?? period.startMs;
}

/** Moves the cursor of the clock during playback. */
export class Playback {
  readonly #session: SquadSession;
  readonly #isPlaying = signal(false);
  readonly speed: Signal<Speed> = signal(10);
  #stop: () => void = () => {};

  constructor(session: SquadSession) {
    this.#session = session;
  }

  get isPlaying(): ReadonlySignal<boolean> {
    return this.#isPlaying;
  }

  /** The time of the map. It is the time of the cursor, or the start of the scope if there is no cursor. */
  get nowMs(): number {
    return nowIn(this.#session);
  }

  toggle(): void {
    if (this.#isPlaying.peek()) this.pause();
    else this.play();
  }

  play(): void {
    const whole = this.#session.interval.peek();
    if (whole === null || this.#isPlaying.peek()) return;
    this.#session.cursorMs.value = playFrom(this.nowMs, this.#periods(), whole);
    this.#isPlaying.value = true;
    this.#stop = matchMedia("(prefers-reduced-motion: reduce)").matches ? this.#steps() : this.#frames();
  }

  pause(): void {
    this.#stop();
    this.#isPlaying.value = false;
  }

  /** Goes to the start of the next period. The first period follows the last one. */
  nextPeriod(): void {
    const periods = this.#periods();
    const now = this.nowMs;
    const next = periods.find(({ startMs }) => startMs > now) ?? periods[0];
    if (next !== undefined) this.#session.cursorMs.value = next.startMs;
  }

  /**
   * Handles keys: Space starts and stops, P goes to the next period, and 1 to 5 select the speed.
   * @returns whether the key was one of these
   */
  pressKey(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.altKey || event.metaKey || isControl(event)) return false;
    const speed = /^[1-5]$/.test(event.key) ? SPEEDS[Number(event.key) - 1] : undefined;
    if (speed !== undefined) this.speed.value = speed;
    else if (event.key === " ") this.toggle();
    else if (event.key === "p" || event.key === "P") this.nextPeriod();
    else return false;
    event.preventDefault();
    return true;
  }

  #periods(): TimedPeriod[] {
    return timedPeriods(this.#session.periods.peek());
  }

  #frames(): () => void {
    let before = performance.now();
    let asked = 0;
    const frame = (now: number) => {
      const passed = Math.min(LONGEST_FRAME_MS, Math.max(0, now - before));
      before = now;
      asked = requestAnimationFrame(frame);
      this.#advance(passed * this.speed.peek());
    };
    asked = requestAnimationFrame(frame);
    return () => cancelAnimationFrame(asked);
  }

  #steps(): () => void {
    const timer = setInterval(() => this.#advance(STEP_MS * this.speed.peek()), STEP_MS);
    return () => clearInterval(timer);
  }

  #advance(byMs: number): void {
    const whole = this.#session.interval.peek();
    if (whole === null) {
      this.pause();
      return;
    }
    const { ms, isOver } = playedOn(this.nowMs, byMs, this.#periods(), whole);
    this.#session.cursorMs.value = ms;
    if (isOver) this.pause();
  }
}

/** Returns whether an element is a control. Space and digits have other meanings in fields, on buttons and in dialogs. */
function isControl({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  return (
    target.closest("input, select, textarea, [role=dialog]") !== null ||
    (key === " " && target.closest("button, summary") !== null)
  );
}

/** Returns the time of the cursor, or the start of the scope if there is no cursor. The result depends on the signals of the session. */
export function nowIn({ cursorMs, scope, periods, interval }: SquadSession): number {
  const cursor = cursorMs.value;
  if (cursor !== null) return cursor;
  const shown = scope.value;
  if (shown.kind === "brush") return shown.interval.startMs;
  const timed = timedPeriods(periods.value);
  const named = shown.kind === "period" ? timed.find(({ name }) => name === shown.name) : undefined;
  const first = shown.kind === "match" ? firstOf(timed, periods.value) : named;
  return first?.startMs ?? timed[0]?.startMs ?? interval.value?.startMs ?? 0;
}

function firstOf(timed: readonly TimedPeriod[], periods: readonly SessionPeriod[]): TimedPeriod | undefined {
  const names = new Set(halvesIn(periods).map(({ name }) => name));
  return timed.find(({ name }) => names.has(name));
}

const playbacks = new WeakMap<SquadSession, Playback>();

/** Returns the playback of a session. Its speed is preserved while the page shows a player. */
export function playbackOf(session: SquadSession): Playback {
  const playback = playbacks.get(session) ?? new Playback(session);
  playbacks.set(session, playback);
  return playback;
}
