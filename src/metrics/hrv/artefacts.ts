/**
 * Detects and corrects artefacts in RR intervals, according to Lipponen and Tarvainen 2019 (doi 10.1080/03091902.2019.1640306).
 * docs/metrics.md describes every step.
 */

/**
 * Type of an artefact: a misplaced, additional or missed beat, or an interval that is too long or too short for another reason.
 */
export type Artefact = "ectopic" | "extra" | "missed" | "long" | "short";

export const ARTEFACTS: readonly Artefact[] = ["ectopic", "extra", "missed", "long", "short"];

/** null if the interval is valid. */
export type Label = Artefact | null;

const THRESHOLD_FACTOR = 5.2;
const LEAST_THRESHOLD_MS = 10;
const THRESHOLD_WINDOW = 91;
const MEDIAN_WINDOW = 11;
const ECTOPIC_SLOPE = 0.13;
const ECTOPIC_OFFSET = 0.17;
const FAR_FROM_MEDIAN = 3;

/** Labels each interval (ms) of a series without gaps. */
export function labelArtefacts(rrMs: ArrayLike<number>): Label[] {
  const n = rrMs.length;
  const at = (i: number) => rrMs[i] ?? 0;
  const differences = Float64Array.from({ length: n }, (_, i) => (i === 0 ? 0 : at(i) - at(i - 1)));
  const medians = windowed(rrMs, MEDIAN_WINDOW, (sorted) => quantile(sorted, 0.5));
  const deviations = Float64Array.from({ length: n }, (_, i) => {
    const deviation = at(i) - (medians[i] ?? 0);
    return deviation < 0 ? 2 * deviation : deviation;
  });
  const differenceLimits = limitsOf(differences);
  const deviationLimits = limitsOf(deviations);
  const d = (i: number) => (i < 0 || i >= n ? 0 : (differences[i] ?? 0) / (differenceLimits[i] ?? 1));
  const m = (i: number) => (deviations[i] ?? 0) / (deviationLimits[i] ?? 1);
  const isNearMedian = (ms: number, i: number) =>
    Math.abs(ms - (medians[i] ?? 0)) < (deviationLimits[i] ?? 0);

  const isEctopic = (i: number) =>
    d(i) > 0
      ? Math.max(d(i - 1), d(i + 1)) < -ECTOPIC_SLOPE * d(i) - ECTOPIC_OFFSET
      : Math.min(d(i - 1), d(i + 1)) > -ECTOPIC_SLOPE * d(i) + ECTOPIC_OFFSET;
  const lengthLabel = (j: number): Label => {
    const next = d(j) >= 0 ? Math.min(d(j + 1), d(j + 2)) : Math.max(d(j + 1), d(j + 2));
    const isLong = (d(j) > 1 && next < -1) || m(j) > FAR_FROM_MEDIAN;
    const isShort = (d(j) < -1 && next > 1) || m(j) < -FAR_FROM_MEDIAN;
    if (isShort && j + 1 < n && isNearMedian(at(j) + at(j + 1), j)) return "extra";
    if (isLong && isNearMedian(at(j) / 2, j)) return "missed";
    if (isLong) return "long";
    return isShort ? "short" : null;
  };

  const labels: Label[] = Array.from({ length: n }, () => null);
  for (let i = 0; i < n; i++) {
    if (Math.abs(d(i)) <= 1) continue;
    if (isEctopic(i)) {
      labels[i] = "ectopic";
      continue;
    }
    const candidates = i + 2 < n && Math.abs(d(i + 1)) < Math.abs(d(i + 2)) ? [i, i + 1] : [i];
    for (const j of candidates) {
      const label = lengthLabel(j);
      if (label === null) continue;
      labels[j] = label;
      // continues after the last labelled interval
      i = j;
    }
  }
  return labels;
}

/** Returns the limit for each value: 5.2 times half the interquartile range of the absolute values around it, at least 10 ms. */
function limitsOf(values: Float64Array): Float64Array {
  const absolute = values.map(Math.abs);
  return windowed(absolute, THRESHOLD_WINDOW, (sorted) =>
    Math.max(LEAST_THRESHOLD_MS, (THRESHOLD_FACTOR * (quantile(sorted, 0.75) - quantile(sorted, 0.25))) / 2),
  );
}

/** Computes a statistic of the sorted values in a window around each value. The window is truncated at the ends. */
function windowed(
  values: ArrayLike<number>,
  width: number,
  figure: (sorted: Float64Array) => number,
): Float64Array {
  const half = (width - 1) / 2;
  const n = values.length;
  // the window stays sorted while it moves, because sorting each window would take seconds for a day of beats
  const sorted = new Float64Array(width);
  let count = 0;
  const add = (value: number) => {
    const at = placeIn(sorted, count, value);
    sorted.copyWithin(at + 1, at, count++);
    sorted[at] = value;
  };
  const remove = (value: number) => {
    const at = placeIn(sorted, count, value);
    sorted.copyWithin(at, at + 1, count--);
  };
  for (let i = 0; i < Math.min(half, n); i++) add(values[i] ?? 0);
  return Float64Array.from({ length: n }, (_, i) => {
    if (i > half) remove(values[i - half - 1] ?? 0);
    if (i + half < n) add(values[i + half] ?? 0);
    return figure(sorted.subarray(0, count));
  });
}

/** Returns the index of the first of `count` ascending values that is not below `value`. */
function placeIn(sorted: Float64Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a quantile with linear interpolation between the two nearest values. */
function quantile(sorted: Float64Array, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] ?? 0;
  return low + (place - below) * ((sorted[Math.min(below + 1, sorted.length - 1)] ?? low) - low);
}

/**
 * Corrects the labelled intervals once. The interval of an extra beat is joined with the next one, an interval with a missed beat
 * is divided into halves, and the others are interpolated linearly by index between the nearest valid intervals.
 *
 * @returns more or fewer intervals, or the same number
 */
export function correctIntervals(rrMs: ArrayLike<number>, labels: readonly Label[]): Float64Array {
  const corrected: number[] = [];
  const isBad: boolean[] = [];
  for (let i = 0; i < rrMs.length; i++) {
    const rr = rrMs[i] ?? 0;
    if (labels[i] === "extra" && i + 1 < rrMs.length) {
      corrected.push(rr + (rrMs[i + 1] ?? 0));
      isBad.push(false);
      i++;
    } else if (labels[i] === "missed") {
      corrected.push(rr / 2, rr / 2);
      isBad.push(false, false);
    } else {
      corrected.push(rr);
      isBad.push((labels[i] ?? null) !== null);
    }
  }
  return interpolated(corrected, isBad);
}

function interpolated(values: readonly number[], isBad: readonly boolean[]): Float64Array {
  const result = Float64Array.from(values);
  let before = -1;
  // kept for the invalid intervals that follow, because an alternating rhythm can label hours of intervals
  let after = 0;
  for (let k = 0; k < values.length; k++) {
    if (!isBad[k]) {
      before = k;
      continue;
    }
    after = Math.max(after, k + 1);
    while (after < values.length && isBad[after]) after++;
    const left = values[before];
    const right = values[after];
    // without valid intervals, interpolation is impossible
    if (left === undefined && right === undefined) return result;
    if (left === undefined) result[k] = right ?? 0;
    else if (right === undefined) result[k] = left;
    else result[k] = left + ((right - left) * (k - before)) / (after - before);
  }
  return result;
}
