/** Returns the t for which `share` of Student's distribution is between -t and t. */
export function twoSidedT(degreesOfFreedom: number, share = 0.95): number {
  let low = 0;
  let high = 1;
  while (shareBetween(high, degreesOfFreedom) < share) high *= 2;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (shareBetween(middle, degreesOfFreedom) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Returns the share of the distribution between -t and t, from the finite series for whole degrees of freedom (Abramowitz and
 * Stegun 26.7.3 and 26.7.4).
 */
function shareBetween(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const cosine = Math.cos(angle);
  const isEven = degrees % 2 === 0;
  let term = isEven ? 1 : cosine;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isEven ? 1 : 2; k <= degrees - 3; k += 2) {
    term *= (cosine * cosine * k) / (k + 1);
    sum += term;
  }
  return isEven ? Math.sin(angle) * sum : (2 / Math.PI) * (angle + Math.sin(angle) * sum);
}
