/**
 * Estimates metabolic power from speed and acceleration: for running according to Minetti and Parvei 2018, for walking according
 * to di Prampero and Osgnach 2018. docs/metrics.md describes the known errors; the estimate is off by default.
 */

/** The caution that accompanies the estimate in every output. */
export const METABOLIC_CAUTION =
  "Estimated from speed. In studies, such estimates were 29 % below the value from oxygen uptake in football drills (Buchheit et al. 2015) and 44 % below it in circuits (Brown et al. 2016).";

const GRAVITY_M_PER_S2 = 9.80665;

/** Cost of running at constant speed on flat ground, J/kg/m. */
export const COST_OF_RUNNING = 3.6;

/** Air resistance as an acceleration divided by the square of the speed, 1/m. */
const AIR_RESISTANCE = 0.0037;

/** Maximum walking speed, m/s. */
const ALWAYS_RUNNING_M_PER_S = 2.5;

/** Cost of walking at slopes of -0.3, -0.2, ... 0.4: polynomials of degree 4 in the speed, highest power first. */
const WALKING = Float64Array.of(
  ...[0.28, -1.66, 3.81, -3.96, 4.01],
  ...[0.03, -0.15, 0.98, -2.25, 3.14],
  ...[0.69, -3.21, 5.94, -5.07, 2.79],
  ...[1.25, -6.57, 13.14, -11.15, 5.35],
  ...[0.68, -4.17, 10.17, -10.31, 8.66],
  ...[3.8, -14.91, 22.94, -14.53, 11.24],
  ...[44.95, -122.88, 126.94, -57.46, 21.39],
  ...[94.62, -213.94, 184.43, -68.49, 25.04],
);
const COEFFICIENTS = 5;
const LAST_SLOPE = WALKING.length / COEFFICIENTS - 1;
const FIRST_SLOPE = -0.3;
const SLOPES_PER_ONE = 10;

/**
 * Returns the metabolic power in W/kg.
 *
 * @param speed m/s, not negative
 * @param acceleration m/s2
 */
export function metabolicPower(speed: number, acceleration: number): number {
  const slope = (acceleration + AIR_RESISTANCE * speed * speed) / GRAVITY_M_PER_S2;
  const mass = Math.sqrt(1 + slope * slope);
  const cost = isRunning(speed, slope) ? costOfRunning(slope) : costOfWalking(speed, slope);
  return cost * mass * speed;
}

function isRunning(speed: number, slope: number): boolean {
  if (speed > ALWAYS_RUNNING_M_PER_S) return true;
  const transition =
    2.27 + slope * (-1.7 + slope * (-15.84 + slope * (-1.13 + slope * (113.13 - 107.05 * slope))));
  return speed >= transition;
}

function costOfRunning(slope: number): number {
  return slope >= 0
    ? 39.5 * slope + COST_OF_RUNNING * Math.exp(-4 * slope)
    : -8.34 * slope + COST_OF_RUNNING * Math.exp(13 * slope);
}

/** Returns the cost of walking at a slope. It is interpolated linearly between two slopes, and constant beyond the last ones. */
function costOfWalking(speed: number, slope: number): number {
  const place = Math.min(LAST_SLOPE, Math.max(0, (slope - FIRST_SLOPE) * SLOPES_PER_ONE));
  const below = Math.min(LAST_SLOPE - 1, Math.floor(place));
  const share = place - below;
  return (1 - share) * quarticAt(speed, below) + share * quarticAt(speed, below + 1);
}

function quarticAt(speed: number, slopeIndex: number): number {
  const at = COEFFICIENTS * slopeIndex;
  const a = WALKING[at] ?? 0;
  const b = WALKING[at + 1] ?? 0;
  const c = WALKING[at + 2] ?? 0;
  const d = WALKING[at + 3] ?? 0;
  const e = WALKING[at + 4] ?? 0;
  return e + speed * (d + speed * (c + speed * (b + speed * a)));
}
