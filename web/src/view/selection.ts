import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type TimeWindow, within } from "./window.js";

/** The selected part, which plots, map and figures share. Times are positions on the page's time axis, ms. */
export interface Selection {
  whole: ReadonlySignal<TimeWindow>;
  /** The visible part. */
  shown: Signal<TimeWindow>;
  /** The instant under the cursor, or null if there is none. */
  cursorMs: Signal<number | null>;
}

/** @param part the initially visible part, if it is within the whole; default: the whole */
export function newSelection(whole: ReadonlySignal<TimeWindow>, part: TimeWindow | null = null): Selection {
  const { startMs, stopMs } = whole.peek();
  const isInside = part !== null && part.startMs < stopMs && part.stopMs > startMs;
  return {
    whole,
    shown: signal(isInside ? within(part, whole.peek()) : whole.peek()),
    cursorMs: signal(null),
  };
}

/** Time that is shown before and after an effort, for context. */
const AROUND_MS = 10_000;

/** Shows an effort with its context, and moves the cursor to its start. */
export function showAround({ shown, whole, cursorMs }: Selection, startMs: number, seconds: number): void {
  const around = { startMs: startMs - AROUND_MS, stopMs: startMs + seconds * 1000 + AROUND_MS };
  shown.value = within(around, whole.peek());
  cursorMs.value = startMs;
}
