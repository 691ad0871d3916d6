import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { accelerationSignals, derivativeAt } from "../acceleration.js";
import { type LowPass, lowPassZeroPhase } from "../butterworth.js";
import { ARTEFACT_MM_PER_S2 } from "../efforts.js";
import { fitLine, type Line } from "../least-squares.js";
import type { MetricsOptions } from "../options.js";
import { roundHalfUp } from "../rounding.js";
import type { MetricSamples } from "../samples.js";
import { selectedSignal } from "../selected-signal.js";
import { twoSidedT } from "./student-t.js";

/** Version of the rules for the acceleration-speed profile. */
export const PROFILE_VERSION = 1;

/**
 * Low-pass filter with a cut-off of 1 Hz in each pass, for samples at 10 Hz (Clavel et al. 2023, according to PabRD/AS_Profile).
 */
const ONE_HZ_EACH_PASS: LowPass = {
  b0: 0.0674552738890719,
  b1: 0.1349105477781438,
  b2: 0.0674552738890719,
  a1: -1.1429805025399011,
  a2: 0.4128015980961885,
};

const LOWEST_MM_PER_S = 3000;
const CLASS_MM_PER_S = 200;
const POINTS_OF_CLASS = 2;

/** The limits for an accepted profile, each inclusive (choices; docs/metrics.md, "Acceleration-speed profile"). */
export const PROFILE_GATE = {
  /** Minimum R2 before distant points are dropped. */
  least_r2_before: 0.9,
  /** Minimum number of points before distant points are dropped. */
  least_n_before: 30,
  /** Minimum for the lower limit of the top class, as a share of the maximum speed. */
  least_top_class_share: 0.85,
  /** S0 as a share of the maximum speed. */
  least_s0_share: 0.9,
  most_s0_share: 1.2,
} as const;

/** A speed in m/s, and the acceleration in m/s2 at the same time. */
export interface ProfilePoint {
  readonly speed: number;
  readonly acceleration: number;
}

/** The regression line through all points, and the line through the points that are not too far from the first line; not rounded. */
export interface ProfileFit {
  readonly before: Line & { readonly n: number };
  readonly after: Line & { readonly n: number };
}

/** The profile, or the reason why there is none; docs/metrics.md, "Acceleration-speed profile". */
export interface AccelerationSpeedProfile {
  readonly profile: {
    /** Theoretical maximum acceleration, m/s2. */
    readonly a0: number;
    /** Theoretical maximum speed, m/s. */
    readonly s0: number;
    /** s */
    readonly tau: number;
    readonly r2_before: number | null;
    readonly r2: number | null;
    readonly n_before: number;
    readonly n: number;
  } | null;
  /** Why there is no profile; null if there is one. */
  readonly reason: string | null;
  /** m/s; null if there are no points. */
  readonly top_speed: number | null;
  readonly definition: { readonly version: number; readonly max_speed: number };
}

export interface ProfileOptions extends Pick<MetricsOptions, "preset" | "params"> {
  /** Maximum speed of the person in the season, m/s, with which the profile must agree. */
  readonly maxSpeed: number;
}

/**
 * Computes the acceleration-speed profile of a person from the sessions of the last 28 days, which the caller selects.
 *
 * @param sessions the samples of each session
 * @throws AsiError `BAD_ARGUMENT` for invalid samples; `BAD_OPTION`
 */
export function accelerationSpeedProfile(
  sessions: readonly (MetricSamples | Iterable<MetricSamples>)[],
  { maxSpeed, ...options }: ProfileOptions,
): AccelerationSpeedProfile {
  if (!(typeof maxSpeed === "number" && maxSpeed >= 1 && maxSpeed <= 20)) {
    throw new AsiError("BAD_OPTION", `maxSpeed is ${shown(maxSpeed)}; it must be from 1 to 20 m/s.`);
  }
  return profileOfPoints(highestOfSessions(sessions, options), maxSpeed);
}

/** Computes the profile from points.
 *
 * @param points the two highest accelerations of each class
 * @param maxSpeed maximum speed of the person in the season, 1 to 20 m/s
 */
export function profileOfPoints(points: readonly ProfilePoint[], maxSpeed: number): AccelerationSpeedProfile {
  const topSpeed = points.length === 0 ? null : Math.max(...points.map(({ speed }) => speed));
  const fit = fitProfile(points);
  const reason = reasonAgainst(points, fit, topSpeed, maxSpeed);
  return {
    profile: fit === null || reason !== null ? null : rounded(fit),
    reason,
    top_speed: topSpeed === null ? null : roundHalfUp(topSpeed, 3),
    definition: { version: PROFILE_VERSION, max_speed: maxSpeed },
  };
}

/**
 * Returns the two highest accelerations in each speed class of 0.2 m/s, from all points with a speed of at least 3 m/s and a
 * positive acceleration that is not an artefact.
 */
export function highestOfSessions(
  sessions: readonly (MetricSamples | Iterable<MetricSamples>)[],
  options: MetricsOptions = {},
): ProfilePoint[] {
  const classes = new SpeedClasses();
  const signals = sessions.flatMap((samples) => accelerationSignals(selectedSignal(samples, options).signal));
  for (const { speedMmPerS } of signals) {
    const smooth = lowPassZeroPhase(speedMmPerS, ONE_HZ_EACH_PASS);
    for (let k = 0; k < smooth.length; k++) {
      const speed = smooth[k] ?? 0;
      if (Math.floor(speed + 0.5) < LOWEST_MM_PER_S) continue;
      const a = derivativeAt(smooth, k);
      if (a <= 0 || a > ARTEFACT_MM_PER_S2) continue;
      classes.add(speed / 1000, a / 1000);
    }
  }
  return classes.points;
}

/**
 * The two highest accelerations in each speed class of 0.2 m/s (Morin et al. 2021). If several are equal, the earliest ones are
 * kept.
 */
export class SpeedClasses {
  readonly #classes: ProfilePoint[][] = [];

  /**
   * Adds a point.
   *
   * @param speed m/s, at least 3
   * @param acceleration m/s2
   */
  add(speed: number, acceleration: number): void {
    const mmPerS = Math.floor(speed * 1000 + 0.5);
    const index = Math.floor((mmPerS - LOWEST_MM_PER_S) / CLASS_MM_PER_S);
    this.#classes[index] ??= [];
    const best = this.#classes[index];
    const lowest = best[POINTS_OF_CLASS - 1];
    // this is true for nearly all points
    if (lowest !== undefined && acceleration <= lowest.acceleration) return;
    let place = best.length;
    while (place > 0 && acceleration > (best[place - 1]?.acceleration ?? 0)) place--;
    best.splice(place, 0, { speed, acceleration });
    best.length = Math.min(best.length, POINTS_OF_CLASS);
  }

  /** The points, in the order of their classes. */
  get points(): ProfilePoint[] {
    return this.#classes.flat();
  }
}

/**
 * Fits a line to acceleration against speed by least squares. Points further from the line than the confidence interval of A0 are
 * dropped, and the line is fitted again.
 *
 * @returns null with fewer than 3 points before or after points are dropped
 */
export function fitProfile(points: readonly ProfilePoint[]): ProfileFit | null {
  const before = lineOf(points);
  if (before === null) return null;
  const limit = twoSidedT(points.length - 2) * before.interceptError;
  const near = points.filter(
    ({ speed, acceleration }) => Math.abs(acceleration - before.intercept - before.slope * speed) <= limit,
  );
  const after = lineOf(near);
  return after === null ? null : { before, after };
}

function lineOf(points: readonly ProfilePoint[]): ProfileFit["before"] | null {
  if (points.length < 3) return null;
  const line = fitLine(
    points.map(({ speed }) => speed),
    points.map(({ acceleration }) => acceleration),
  );
  return Number.isFinite(line.slope) ? { ...line, n: points.length } : null;
}

function rounded({ before, after }: ProfileFit): NonNullable<AccelerationSpeedProfile["profile"]> {
  const r2Of = ({ r2 }: Line) => (r2 === null ? null : roundHalfUp(r2, 4));
  return {
    a0: roundHalfUp(after.intercept, 2),
    s0: roundHalfUp(-after.intercept / after.slope, 2),
    tau: roundHalfUp(-1 / after.slope, 2),
    r2_before: r2Of(before),
    r2: r2Of(after),
    n_before: before.n,
    n: after.n,
  };
}

/** Returns why a profile is rejected. It checks R2 before points are dropped, because R2 is always high afterwards. */
function reasonAgainst(
  points: readonly ProfilePoint[],
  fit: ProfileFit | null,
  topSpeed: number | null,
  maxSpeed: number,
): string | null {
  const gate = PROFILE_GATE;
  if (points.length < gate.least_n_before || fit === null) {
    return `${points.length} points; at least ${gate.least_n_before} are needed`;
  }
  const { r2 } = fit.before;
  if (r2 === null || r2 < gate.least_r2_before) {
    return `R2 ${roundHalfUp(r2 ?? 0, 4)}; at least ${gate.least_r2_before} is needed`;
  }
  // the lower limit of the top class
  const topClass =
    (LOWEST_MM_PER_S +
      CLASS_MM_PER_S * Math.floor(((topSpeed ?? 0) * 1000 + 0.5 - LOWEST_MM_PER_S) / CLASS_MM_PER_S)) /
    1000;
  if (topClass < gate.least_top_class_share * maxSpeed) {
    return `accelerations up to ${roundHalfUp(topClass, 1)} m/s; at least 85 % of the maximum speed of ${maxSpeed} m/s are needed`;
  }
  const s0 = -fit.after.intercept / fit.after.slope;
  if (!(s0 >= gate.least_s0_share * maxSpeed && s0 <= gate.most_s0_share * maxSpeed)) {
    return `S0 ${roundHalfUp(s0, 2)} m/s; it must be 0.9 to 1.2 times the maximum speed of ${maxSpeed} m/s`;
  }
  return null;
}
