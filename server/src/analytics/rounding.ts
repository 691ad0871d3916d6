/**
 * Rounds a quotient of exact integers half up.
 *
 * The product of a sum and a power of ten may pass 2^53, so the division is done in BigInt; it runs once per number of
 * the output, never per sample.
 *
 * @param numerator integer, 0 to 2^53
 * @param denominator integer, 1 to 2^53
 * @param decimals digits after the point, 0 to 6
 * @returns the double nearest to the rounded decimal
 */
export function divideRoundingHalfUp(numerator: number, denominator: number, decimals: number): number {
  const unitsPerOne = 10 ** decimals;
  const divisor = BigInt(denominator);
  const units = (2n * BigInt(numerator) * BigInt(unitsPerOne) + divisor) / (2n * divisor);
  return Number(units) / unitsPerOne;
}

/** As {@link divideRoundingHalfUp}, but 0 when the whole is 0: a share of nothing. */
export function shareRoundingHalfUp(part: number, whole: number, decimals: number): number {
  return whole === 0 ? 0 : divideRoundingHalfUp(part, whole, decimals);
}

/** Rounds a floating-point quantity in thousandths (mm, mm/s, mm/s2; not negative) half up, and gives it in m, m/s, m/s2. */
export function fromThousandths(thousandths: number): number {
  return Math.floor(thousandths + 0.5) / 1000;
}

/** Milliseconds as seconds with one decimal. */
export function durationSeconds(durationMs: number): number {
  return divideRoundingHalfUp(durationMs, 1000, 1);
}

/**
 * Half micrometres as metres with three decimals. The half micrometre is the unit in which the distance of an interval,
 * `(v_i + v_i+1) / 2 * dt` with speeds in mm/s and time in ms, is an integer.
 */
export function metres(distanceHalfUm: number): number {
  return divideRoundingHalfUp(distanceHalfUm, 2_000_000, 3);
}
