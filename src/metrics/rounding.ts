/** km/h in one m/s. */
export const KM_PER_H = 3.6;

/**
 * Rounds a quotient of exact integers half up.
 *
 * If the product of a numerator and a power of ten exceeds 2^53, the division uses BigInt, which takes longer.
 *
 * @param numerator integer, 0 to 2^53
 * @param denominator integer, 1 to 2^53
 * @param decimals digits after the point, 0 to 6
 * @returns the double nearest to the rounded decimal
 */
export function divideRoundingHalfUp(numerator: number, denominator: number, decimals: number): number {
  const unitsPerOne = 10 ** decimals;
  const doubled = 2 * numerator * unitsPerOne + denominator;
  if (Number.isSafeInteger(doubled)) {
    return (doubled - (doubled % (2 * denominator))) / (2 * denominator) / unitsPerOne;
  }
  const divisor = BigInt(denominator);
  const units = (2n * BigInt(numerator) * BigInt(unitsPerOne) + divisor) / (2n * divisor);
  return Number(units) / unitsPerOne;
}

/** Works like {@link divideRoundingHalfUp}, but returns 0 if the whole is 0. */
export function shareRoundingHalfUp(part: number, whole: number, decimals: number): number {
  return whole === 0 ? 0 : divideRoundingHalfUp(part, whole, decimals);
}

/** Rounds a quantity in thousandths (mm, mm/s, mm/s2; not negative) half up, and converts it to m, m/s, m/s2. */
export function fromThousandths(thousandths: number): number {
  return Math.floor(thousandths + 0.5) / 1000;
}

/** Converts milliseconds to seconds with one decimal. */
export function durationSeconds(durationMs: number): number {
  return divideRoundingHalfUp(durationMs, 1000, 1);
}

/**
 * Converts half micrometres to metres with three decimals. In half micrometres, the distance of an interval,
 * `(v_i + v_i+1) / 2 * dt` with speeds in mm/s and time in ms, is an integer.
 */
export function metres(distanceHalfUm: number): number {
  return divideRoundingHalfUp(distanceHalfUm, 2_000_000, 3);
}

/** Rounds a result of floating-point arithmetic half up (towards positive infinity). */
export function roundHalfUp(value: number, decimals: number): number {
  const unitsPerOne = 10 ** decimals;
  return Math.floor(value * unitsPerOne + 0.5) / unitsPerOne;
}
