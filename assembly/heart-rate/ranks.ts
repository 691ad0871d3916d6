// Ring buffers of the last numbers, which are also kept sorted. A ring consists of capacity, next and length as i32, then the
// numbers in the order in which they were added, then the sorted numbers.

const HEAD: i32 = 16;

/** Size of a ring in bytes. */
export const RING_4: i32 = HEAD + 2 * 8 * 4;
export const RING_8: i32 = HEAD + 2 * 8 * 8;
export const RING_16: i32 = HEAD + 2 * 8 * 16;

export function clearRing(ring: usize, capacity: i32): void {
  store<i32>(ring, capacity);
  store<i32>(ring, 0, 4);
  store<i32>(ring, 0, 8);
}

// @ts-ignore: decorator
@inline
export function lengthOf(ring: usize): i32 {
  return load<i32>(ring, 8);
}

// @ts-ignore: decorator
@inline
function sortedOf(ring: usize): usize {
  return ring + HEAD + (load<i32>(ring) << 3);
}

/** Adds a number, and drops the oldest one if the ring is full. */
export function pushTo(ring: usize, number: f64): void {
  const capacity = load<i32>(ring);
  const next = load<i32>(ring, 4);
  let length = lengthOf(ring);
  const sorted = sortedOf(ring);
  const place = ring + HEAD + (next << 3);
  let at = sorted + (length << 3);
  if (length == capacity) at = rankOf(sorted, load<f64>(place));
  else store<i32>(ring, ++length, 8);
  store<f64>(place, number);
  store<i32>(ring, next + 1 == capacity ? 0 : next + 1, 4);
  const last = sorted + ((length - 1) << 3);
  while (at > sorted && load<f64>(at - 8) > number) {
    store<f64>(at, load<f64>(at - 8));
    at -= 8;
  }
  while (at < last && load<f64>(at + 8) < number) {
    store<f64>(at, load<f64>(at + 8));
    at += 8;
  }
  store<f64>(at, number);
}

/** Returns the oldest number; the ring must not be empty. */
export function oldestOf(ring: usize): f64 {
  const index = load<i32>(ring, 4) - lengthOf(ring);
  return load<f64>(ring + HEAD + ((index < 0 ? index + load<i32>(ring) : index) << 3));
}

export function dropOldest(ring: usize): void {
  const sorted = sortedOf(ring);
  const length = lengthOf(ring) - 1;
  const last = sorted + (length << 3);
  for (let at = rankOf(sorted, oldestOf(ring)); at < last; at += 8) store<f64>(at, load<f64>(at + 8));
  store<i32>(ring, length, 8);
}

/** Returns the number with the given rank; rank 0 is the lowest number. */
// @ts-ignore: decorator
@inline
export function ranked(ring: usize, rank: i32): f64 {
  return load<f64>(sortedOf(ring) + (rank << 3));
}

/** Returns the median; the ring must not be empty. */
export function medianOf(ring: usize): f64 {
  const length = lengthOf(ring);
  const middle = length >> 1;
  return (length & 1) == 1 ? ranked(ring, middle) : (ranked(ring, middle - 1) + ranked(ring, middle)) / 2;
}

// Returns the rank of a number in the ring.
function rankOf(sorted: usize, number: f64): usize {
  while (load<f64>(sorted) < number) sorted += 8;
  return sorted;
}
