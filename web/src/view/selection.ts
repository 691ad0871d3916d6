import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { TimeWindow } from "./window.js";

/** What is looked at: plots, map and figures follow it together. Times are those of the page's time axis, ms. */
export interface Selection {
  whole: ReadonlySignal<TimeWindow>;
  /** The part that is shown. */
  shown: Signal<TimeWindow>;
  /** The instant under the cursor; null if there is none. */
  cursorMs: Signal<number | null>;
}

export function newSelection(whole: ReadonlySignal<TimeWindow>): Selection {
  return { whole, shown: signal(whole.peek()), cursorMs: signal(null) };
}
