// The last scored maxima of the envelope, in chronological order. Each entry has 40 bytes: n i64, score f64,
// valley f64, isDouble i32, QRS f64.

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

/** Adds one and drops the first one if necessary. */
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

/** Index of the sample. */
export function placeOf(index: i32): i64 {
  return load<i64>(entry(index));
}

export function scoreOf(index: i32): f64 {
  return load<f64>(entry(index), 8);
}

/** The minimum of the envelope beside the maximum, on its higher side, as a share of the maximum: 0 for an isolated beat. */
export function valleyOf(index: i32): f64 {
  return load<f64>(entry(index), 16);
}

/** Whether another maximum of similar height was close. */
export function isDoubleAt(index: i32): bool {
  return load<i32>(entry(index), 24) != 0;
}

/** The position of its QRS complex, between two samples. */
export function qrsOf(index: i32): f64 {
  return load<f64>(entry(index), 32);
}

/** The first one after `n`, or `candidates`. */
export function firstAfter(n: i64): i32 {
  let index = candidates;
  while (index > 0 && placeOf(index - 1) > n) index--;
  return index;
}
