/** Returns the number of times before `ms`, which is the index of the first time at or after it. The times are in ascending order. */
export function indexAt(timesMs: Float64Array, ms: number): number {
  let low = 0;
  let high = timesMs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timesMs[middle] as number) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index of the time nearest to `ms`, or null if there are no times. */
export function nearestOf(timesMs: Float64Array, ms: number): number | null {
  const after = indexAt(timesMs, ms);
  const distance = (at: number) => Math.abs((timesMs[at] ?? Number.POSITIVE_INFINITY) - ms);
  const nearest = after > 0 && distance(after - 1) <= distance(after) ? after - 1 : after;
  return nearest < timesMs.length ? nearest : null;
}

/** Maximum distance at which a value is shown in a gap, before the first time, and after the last one. */
const NEAR_MS = 1000;

/** The times in ascending order. A gap follows some of them. */
interface Times {
  timesMs: Float64Array;
  gapsAfter: ReadonlySet<number>;
}

/** Returns the index of the time nearest to `ms`. Returns null if all times are far away, or if `ms` is in a gap and both ends are. */
export function nearestIndex({ timesMs, gapsAfter }: Times, ms: number): number | null {
  const nearest = nearestOf(timesMs, ms);
  const after = indexAt(timesMs, ms);
  const isBetween = after > 0 && after < timesMs.length && !gapsAfter.has(after - 1);
  if (nearest === null || isBetween) return nearest;
  return Math.abs((timesMs[nearest] ?? ms) - ms) <= NEAR_MS ? nearest : null;
}
