/** The visible part of the time axis, in ms. Both ends are inclusive. */
export interface TimeWindow {
  startMs: number;
  stopMs: number;
}

/** The minimum length of a window. */
const SHORTEST_MS = 1000;

/** Returns `part`, moved and shortened to fit into `whole`. It is at least a second long unless `whole` is shorter. */
export function within(part: TimeWindow, whole: TimeWindow): TimeWindow {
  const wholeMs = whole.stopMs - whole.startMs;
  const lengthMs = Math.min(Math.max(part.stopMs - part.startMs, SHORTEST_MS), wholeMs);
  const middleMs = (part.startMs + part.stopMs) / 2;
  const startMs = Math.min(Math.max(middleMs - lengthMs / 2, whole.startMs), whole.stopMs - lengthMs);
  return { startMs, stopMs: startMs + lengthMs };
}

/**
 * Returns `shown`, shortened by `factor`, or lengthened if `factor` is below 1. The instant `atMs` stays at the same place on the screen.
 */
export function zoomed(shown: TimeWindow, factor: number, atMs: number, whole: TimeWindow): TimeWindow {
  const startMs = atMs - (atMs - shown.startMs) / factor;
  const stopMs = atMs + (shown.stopMs - atMs) / factor;
  if (stopMs - startMs >= whole.stopMs - whole.startMs) return whole;
  return within({ startMs, stopMs }, whole);
}

/** Returns `shown`, moved by `byMs`. */
export function moved(shown: TimeWindow, byMs: number, whole: TimeWindow): TimeWindow {
  return within({ startMs: shown.startMs + byMs, stopMs: shown.stopMs + byMs }, whole);
}

export function isWhole(shown: TimeWindow, whole: TimeWindow): boolean {
  return shown.startMs <= whole.startMs && shown.stopMs >= whole.stopMs;
}

/** Returns the relative position of an instant in a window: 0 at its start and before, 1 at its end and after. */
export function shareOf(ms: number, { startMs, stopMs }: TimeWindow): number {
  return Math.min(1, Math.max(0, (ms - startMs) / Math.max(1, stopMs - startMs)));
}
