// Rings of the last numbers, in which they can be looked up by rank. A ring: capacity i32, next i32, length i32, then the numbers.

const HEAD: i32 = 16;
/** The greatest capacity of a ring. */
const MAX_NUMBERS: i32 = 16;

/** Bytes of a ring of 8 or 16 numbers. */
export const RING_8: i32 = HEAD + 8 * 8;
export const RING_16: i32 = HEAD + 8 * 16;

const SORTED: usize = memory.data(8 * MAX_NUMBERS, 16);

export function clearRing(ring: usize, capacity: i32): void {
  store<i32>(ring, capacity);
  store<i32>(ring, 0, 4);
  store<i32>(ring, 0, 8);
}

export function pushTo(ring: usize, number: f64): void {
  const capacity = load<i32>(ring);
  const next = load<i32>(ring, 4);
  const length = load<i32>(ring, 8);
  store<f64>(ring + HEAD + (next << 3), number);
  store<i32>(ring, next + 1 == capacity ? 0 : next + 1, 4);
  if (length < capacity) store<i32>(ring, length + 1, 8);
}

// @ts-ignore: decorator
@inline
export function lengthOf(ring: usize): i32 {
  return load<i32>(ring, 8);
}

/** The number before the last `back` ones. */
export function lastOf(ring: usize, back: i32): f64 {
  const index = load<i32>(ring, 4) - 1 - back;
  return load<f64>(ring + HEAD + ((index < 0 ? index + load<i32>(ring) : index) << 3));
}

/** Sorts the last `count` numbers for `ranked` and `median`. */
export function rank(ring: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const number = lastOf(ring, i);
    let at = SORTED + (i << 3);
    while (at > SORTED && load<f64>(at - 8) > number) {
      store<f64>(at, load<f64>(at - 8));
      at -= 8;
    }
    store<f64>(at, number);
  }
}

/** The number of a rank, 0 being the lowest. */
// @ts-ignore: decorator
@inline
export function ranked(index: i32): f64 {
  return load<f64>(SORTED + (index << 3));
}

/** The median of the `count` numbers that were ranked. */
export function rankedMedian(count: i32): f64 {
  const middle = count >> 1;
  return (count & 1) == 1 ? ranked(middle) : (ranked(middle - 1) + ranked(middle)) / 2;
}

/** The median of the last `count` numbers. */
export function medianOf(ring: usize, count: i32): f64 {
  rank(ring, count);
  return rankedMedian(count);
}
