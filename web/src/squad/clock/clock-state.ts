import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Interval, SuggestedPeriod, SuggestedSubstitutions } from "asi-convert/squad";
import { isWhole, moved, type TimeWindow, within, zoomed } from "../../view/window.js";
import { type Ignored, isIgnored, refusalOf } from "../ignored.js";
import type { Scope } from "../scope.js";
import type { SquadSession } from "../squad-session.js";
import { missingIn } from "./suggested.js";

/** Space at both ends of the time, for marks beside strips. */
export const END_PX = 14;

/** Position of the clock on the screen, CSS pixels. */
export interface ClockPlace {
  /** The distance from the left edge of the frame. */
  left: number;
  width: number;
  /** Height of the visible rows, and the distance from their lower edge to the end of the table. */
  height: number;
  bottom: number;
}

const NO_TIME: TimeWindow = { startMs: 0, stopMs: 1 };

/** Time and position of the clock. The session contains choices that users make with the clock. */
export class Clock {
  readonly session: SquadSession;
  readonly whole: ReadonlySignal<TimeWindow>;
  readonly shown: ReadonlySignal<TimeWindow>;
  readonly place: Signal<ClockPlace> = signal({ left: 0, width: 0, height: 0, bottom: 0 });
  /** The selected interval, or null if there is none. */
  readonly brush: ReadonlySignal<Interval | null>;
  /** Whether the user is selecting an interval. The page offers its actions afterwards. */
  readonly isBrushing: Signal<boolean> = signal(false);
  /** Whether the periods are being edited. */
  readonly isEditing: Signal<boolean> = signal(false);
  /** Suggested periods from common pauses, except for existing ones. */
  readonly suggested: ReadonlySignal<readonly SuggestedPeriod[]>;
  /** The players with suggested substitutions or absences. It is null if there are none, and while they are unknown. */
  readonly substitutions: ReadonlySignal<SuggestedSubstitutions | null>;
  /** The answer that dismisses the suggested periods. */
  readonly refusal: ReadonlySignal<Ignored>;
  /** Whether the card with the actions for a selection gets the focus when it appears. */
  isCardWanted = false;
  #before: Scope = { kind: "session" };

  constructor(session: SquadSession) {
    this.session = session;
    this.whole = computed(() => {
      const interval = session.interval.value;
      return interval === null ? NO_TIME : { startMs: interval.startMs, stopMs: interval.endMs };
    });
    this.shown = computed(() => {
      const zoom = session.zoom.value;
      return zoom === null ? this.whole.value : within(zoom, this.whole.value);
    });
    const { fromPauses, suggested } = session.played;
    this.refusal = computed(() => refusalOf(session, "no periods", fromPauses.value));
    this.suggested = computed(() =>
      isIgnored(session.ignored.value, this.refusal.value)
        ? []
        : missingIn(session.periods.value, fromPauses.value),
    );
    this.substitutions = computed(() => {
      const found = suggested.value;
      return session.periods.value.length > 0 && found !== null && found.players.length > 0 ? found : null;
    });
    this.brush = computed(() => {
      const scope = session.scope.value;
      return scope.kind === "brush" ? scope.interval : null;
    });
  }

  msPerPixel(): number {
    const { startMs, stopMs } = this.shown.peek();
    return (stopMs - startMs) / Math.max(1, this.place.peek().width - 2 * END_PX);
  }

  /** @param x from the left edge of the clock, CSS pixels */
  timeAt(x: number): number {
    const { startMs, stopMs } = this.shown.peek();
    return Math.min(stopMs, Math.max(startMs, startMs + (x - END_PX) * this.msPerPixel()));
  }

  show(part: TimeWindow): void {
    const whole = this.whole.peek();
    this.session.zoom.value = isWhole(part, whole) ? null : within(part, whole);
  }

  /** @param atMs the instant that keeps its place; default: the cursor, or the middle if there is none */
  zoomBy(factor: number, atMs?: number): void {
    const { startMs, stopMs } = this.shown.peek();
    const cursor = this.session.cursorMs.peek();
    const isCursorShown = cursor !== null && cursor >= startMs && cursor <= stopMs;
    const fixed = atMs ?? (isCursorShown ? cursor : (startMs + stopMs) / 2);
    this.show(zoomed(this.shown.peek(), factor, fixed, this.whole.peek()));
  }

  moveBy(ms: number): void {
    this.show(moved(this.shown.peek(), ms, this.whole.peek()));
  }

  /** Computes the figures for the selection. Its ends are whole seconds. */
  select(aMs: number, bMs: number): void {
    const { scope } = this.session;
    const before = scope.peek();
    if (before.kind !== "brush") this.#before = before;
    const [from, to] = [Math.round(Math.min(aMs, bMs) / 1000), Math.round(Math.max(aMs, bMs) / 1000)];
    const interval = { startMs: from * 1000, endMs: Math.max(to, from + 1) * 1000 };
    if (
      before.kind === "brush" &&
      before.interval.startMs === interval.startMs &&
      before.interval.endMs === interval.endMs
    )
      return;
    scope.value = { kind: "brush", interval };
  }

  /** Restores the scope that preceded the selection. */
  release(): void {
    this.isBrushing.value = false;
    if (this.session.scope.peek().kind === "brush") this.session.scope.value = this.#before;
  }
}

const clocks = new WeakMap<SquadSession, Clock>();

/** Returns the clock of a session. Its state is preserved while the page shows a player. */
export function clockOf(session: SquadSession): Clock {
  const clock = clocks.get(session) ?? new Clock(session);
  clocks.set(session, clock);
  return clock;
}

/** Returns the position of an instant, CSS pixels from the left edge of the clock. */
export function xOf(ms: number, { startMs, stopMs }: TimeWindow, width: number): number {
  return END_PX + ((ms - startMs) / Math.max(1, stopMs - startMs)) * (width - 2 * END_PX);
}
