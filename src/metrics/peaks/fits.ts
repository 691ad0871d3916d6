import { fitLine } from "../least-squares.js";

/** The peak distance for windows of one length. */
export interface PeakDistance {
  readonly windowS: number;
  /** m */
  readonly distanceM: number;
}

/** A power law, not rounded: rate = rate at 60 s x (window / 60 s)^exponent. */
export interface PowerLawFit {
  readonly exponent: number;
  /** m/min */
  readonly ratePerMinuteAt60S: number;
  readonly r2: number | null;
}

/** Critical speed, not rounded. Speeds are in m/s, D' in m, and tau in s. */
export interface CriticalSpeedFit {
  readonly criticalSpeed: number;
  readonly dPrime: number;
  readonly r2: number | null;
}

export interface ThreeParameterFit extends CriticalSpeedFit {
  readonly maxSpeed: number;
  readonly tau: number;
}

const FEWEST_WINDOWS = 5;

/** For shorter windows, the curve with two parameters is steeper than any real run. */
const SHORTEST_TWO_PARAMETERS_S = 120;

const LOWEST_TAU_S = 0.1;
const HIGHEST_TAU_S = 1000;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const STEPS = 200;

/**
 * Fits a power law to the peak rates and their windows (Delaney 2018), by least squares of the logarithms.
 *
 * @returns null with fewer than 5 windows with a distance
 */
export function fitPowerLaw(peaks: readonly PeakDistance[]): PowerLawFit | null {
  const moved = peaks.filter(({ distanceM }) => distanceM > 0);
  if (moved.length < FEWEST_WINDOWS) return null;
  const { intercept, slope, r2 } = fitLine(
    moved.map(({ windowS }) => Math.log(windowS)),
    moved.map(({ windowS, distanceM }) => Math.log((distanceM / windowS) * 60)),
  );
  return { exponent: slope, ratePerMinuteAt60S: Math.exp(intercept + slope * Math.log(60)), r2 };
}

/**
 * Fits critical speed with two parameters, v = CS + D'/w, to windows from 120 s.
 *
 * @returns null with fewer than 3 windows, or if CS is not positive
 */
export function fitTwoParameters(peaks: readonly PeakDistance[]): CriticalSpeedFit | null {
  const long = peaks.filter(({ windowS }) => windowS >= SHORTEST_TWO_PARAMETERS_S);
  if (long.length < 3) return null;
  const { intercept, slope, r2 } = fitLine(
    long.map(({ windowS }) => 1 / windowS),
    long.map(({ windowS, distanceM }) => distanceM / windowS),
  );
  return intercept > 0 ? { criticalSpeed: intercept, dPrime: slope, r2 } : null;
}

/**
 * Fits critical speed with three parameters: v = CS + (Vmax - CS) tau / (w + tau), D' = (Vmax - CS) tau. For a given tau, this is
 * a straight line, so only tau is searched for, by a golden-section search over its logarithm.
 *
 * @returns null with fewer than 4 windows, or unless Vmax > CS > 0
 */
export function fitThreeParameters(peaks: readonly PeakDistance[]): ThreeParameterFit | null {
  if (peaks.length < 4) return null;
  const speeds = Float64Array.from(peaks, ({ windowS, distanceM }) => distanceM / windowS);
  const windows = Float64Array.from(peaks, ({ windowS }) => windowS);
  // this array is filled again in each of the 200 steps
  const shares = new Float64Array(windows.length);
  const lineAt = (logTau: number) => {
    const tau = Math.exp(logTau);
    for (let i = 0; i < windows.length; i++) shares[i] = tau / ((windows[i] ?? 0) + tau);
    return fitLine(shares, speeds);
  };
  // the last steps only repeat the arguments of earlier ones
  const known = new Map<number, number>();
  const residualsAt = (logTau: number) => {
    const residualSquares = known.get(logTau) ?? lineAt(logTau).residualSquares;
    known.set(logTau, residualSquares);
    return residualSquares;
  };
  const logTau = minimum(residualsAt, Math.log(LOWEST_TAU_S), Math.log(HIGHEST_TAU_S));
  const { intercept, slope, r2 } = lineAt(logTau);
  if (intercept <= 0 || slope <= 0) return null;
  const tau = Math.exp(logTau);
  return { criticalSpeed: intercept, dPrime: slope * tau, maxSpeed: intercept + slope, tau, r2 };
}

/** Returns the argument at which a function with a single minimum has this minimum. */
function minimum(f: (x: number) => number, from: number, to: number): number {
  let low = from;
  let high = to;
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let atLeft = f(left);
  let atRight = f(right);
  for (let step = 0; step < STEPS; step++) {
    if (atLeft < atRight) {
      high = right;
      right = left;
      atRight = atLeft;
      left = high - GOLDEN * (high - low);
      atLeft = f(left);
    } else {
      low = left;
      left = right;
      atLeft = atRight;
      right = low + GOLDEN * (high - low);
      atRight = f(right);
    }
  }
  return (low + high) / 2;
}
