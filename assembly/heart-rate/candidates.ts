// The last scored maxima of the envelope (candidates), in chronological order. Each entry has 40 bytes: n i64, score f64, valley
// f64, isDouble i32, QRS f64.

const CAPACITY: i32 = 24;
const ENTRIES: usize = memory.data(40 * CAPACITY, 16);

export let candidates: i32 = 0;
let first: i32 = 0;

export function clearCandidates(): void {
  candidates = 0;
}

// @ts-ignore: decorator
@inline
function entry(index: i32): usize {
  const place = first + index;
  return ENTRIES + 40 * (place < CAPACITY ? place : place - CAPACITY);
}

/** Adds a candidate, and drops the first one if the list is full. */
export function pushCandidate(n: i64, score: f64, valley: f64, isDouble: bool, qrs: f64): void {
  if (candidates == CAPACITY) {
    first = first + 1 == CAPACITY ? 0 : first + 1;
    candidates--;
  }
  const place = entry(candidates);
  store<i64>(place, n);
  store<f64>(place, score, 8);
  store<f64>(place, valley, 16);
  store<i32>(place, isDouble as i32, 24);
  store<f64>(place, qrs, 32);
  candidates++;
}

/** Returns the sample index of a candidate. */
export function placeOf(index: i32): i64 {
  return load<i64>(entry(index));
}

export function scoreOf(index: i32): f64 {
  return load<f64>(entry(index), 8);
}

/**
 * Returns the higher one of the two minima of the envelope beside a candidate, as a share of its maximum: 0 for an isolated beat.
 */
export function valleyOf(index: i32): f64 {
  return load<f64>(entry(index), 16);
}

/** Returns whether another maximum of similar height is close to a candidate. */
export function isDoubleAt(index: i32): bool {
  return load<i32>(entry(index), 24) != 0;
}

/** Returns the position of the QRS complex of a candidate: a sample index with a fraction. */
export function qrsOf(index: i32): f64 {
  return load<f64>(entry(index), 32);
}

/** Returns the first candidate after sample `n`, or `candidates` if there is none. */
export function firstAfter(n: i64): i32 {
  let index = candidates;
  while (index > 0 && placeOf(index - 1) > n) index--;
  return index;
}
