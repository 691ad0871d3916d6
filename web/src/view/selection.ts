import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type TimeWindow, within } from "./window.js";

/** The selected part, which plots, map and figures show together. Times are those of the page's time axis, ms. */
export interface Selection {
  whole: ReadonlySignal<TimeWindow>;
  /** The part that is shown. */
  shown: Signal<TimeWindow>;
  /** The instant under the cursor; null if there is none. */
  cursorMs: Signal<number | null>;
}

/** @param part what is shown first, if it lies within the whole; default the whole */
export function newSelection(whole: ReadonlySignal<TimeWindow>, part: TimeWindow | null = null): Selection {
  const { startMs, stopMs } = whole.peek();
  const isInside = part !== null && part.startMs < stopMs && part.stopMs > startMs;
  return {
    whole,
    shown: signal(isInside ? within(part, whole.peek()) : whole.peek()),
    cursorMs: signal(null),
  };
}

/** Shown on both sides of an effort, so that one sees how it came about. */
const AROUND_MS = 10_000;

/** Shows an effort with what is around it, and puts the cursor at its start. */
export function showAround({ shown, whole, cursorMs }: Selection, startMs: number, seconds: number): void {
  const around = { startMs: startMs - AROUND_MS, stopMs: startMs + seconds * 1000 + AROUND_MS };
  shown.value = within(around, whole.peek());
  cursorMs.value = startMs;
}
