/** The straight line y = intercept + slope x with the smallest sum of squared residuals. */
export interface Line {
  readonly intercept: number;
  readonly slope: number;
  /** Sum of the squared residuals. */
  readonly residualSquares: number;
  /** Coefficient of determination; null if all y are equal. */
  readonly r2: number | null;
  /** Standard error of the intercept; NaN with fewer than 3 points. */
  readonly interceptError: number;
}

/** Differences between values of y that are below this share of their mean are rounding errors. */
const ALL_EQUAL = 1e-12;

/**
 * Fits a line by ordinary least squares. It computes deviations from the means, which preserve digits that sums of squares would
 * lose.
 *
 * @param x at least 2 values that are not all equal
 * @param y one value for each x
 */
export function fitLine(x: ArrayLike<number>, y: ArrayLike<number>): Line {
  const n = x.length;
  let meanX = 0;
  let meanY = 0;
  for (let i = 0; i < n; i++) {
    meanX += x[i] ?? 0;
    meanY += y[i] ?? 0;
  }
  meanX /= n;
  meanY /= n;
  let squaresX = 0;
  let products = 0;
  let squaresY = 0;
  let farthestY = 0;
  for (let i = 0; i < n; i++) {
    const dx = (x[i] ?? 0) - meanX;
    const dy = (y[i] ?? 0) - meanY;
    squaresX += dx * dx;
    products += dx * dy;
    squaresY += dy * dy;
    farthestY = Math.max(farthestY, Math.abs(dy));
  }
  const slope = products / squaresX;
  const intercept = meanY - slope * meanX;
  let residualSquares = 0;
  for (let i = 0; i < n; i++) {
    const residual = (y[i] ?? 0) - intercept - slope * (x[i] ?? 0);
    residualSquares += residual * residual;
  }
  return {
    intercept,
    slope,
    residualSquares,
    r2: farthestY <= ALL_EQUAL * Math.abs(meanY) ? null : 1 - residualSquares / squaresY,
    interceptError: Math.sqrt((residualSquares / (n - 2)) * (1 / n + (meanX * meanX) / squaresX)),
  };
}
