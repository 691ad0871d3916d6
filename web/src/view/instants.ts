/** Number of times before `ms`: the index of the first time at or after it. The times are in ascending order. */
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

/** Index of the time nearest to `ms`; null if the nearest one is more than `gapMs` away. */
export function nearestIndex(timesMs: Float64Array, gapMs: number, ms: number): number | null {
  const after = indexAt(timesMs, ms);
  const distance = (at: number) => Math.abs((timesMs[at] ?? Number.POSITIVE_INFINITY) - ms);
  const nearest = after > 0 && distance(after - 1) <= distance(after) ? after - 1 : after;
  return distance(nearest) <= gapMs ? nearest : null;
}
