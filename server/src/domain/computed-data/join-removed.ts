import type { Interval } from "../../store/samples/index.js";

/**
 * Merges removed intervals with each other and with recorded ones if their distance is small. Recorded intervals are merged only
 * by a removed one between them, because the samples between them may have been loaded again.
 * @param recorded disjoint
 * @param withinMs maximum distance of intervals that are merged
 * @returns ascending and disjoint
 */
export function joinRemoved(
  recorded: readonly Interval[],
  removed: readonly Interval[],
  withinMs: number,
): Interval[] {
  const all = [
    ...recorded.map((interval) => ({ ...interval, removedUntilMs: Number.NEGATIVE_INFINITY })),
    ...removed.map((interval) => ({ ...interval, removedUntilMs: interval.stopMs })),
  ].sort((a, b) => a.startMs - b.startMs);
  const joined: typeof all = [];
  for (let { startMs, stopMs, removedUntilMs } of all) {
    const isRemoved = removedUntilMs >= startMs;
    const fromMs = startMs - withinMs;
    for (let last = joined.at(-1); last !== undefined; last = joined.at(-1)) {
      if ((isRemoved ? last.stopMs : last.removedUntilMs) < fromMs) break;
      joined.pop();
      startMs = Math.min(startMs, last.startMs);
      stopMs = Math.max(stopMs, last.stopMs);
      removedUntilMs = Math.max(removedUntilMs, last.removedUntilMs);
    }
    joined.push({ startMs, stopMs, removedUntilMs });
  }
  return joined.map(({ startMs, stopMs }) => ({ startMs, stopMs }));
}
