import { dayNumber } from "../calendar-day.js";
import type { MetricsOptions } from "../options.js";
import type { MetricSamples } from "../samples.js";
import {
  type AccelerationSpeedProfile,
  highestOfSessions,
  type ProfilePoint,
  profileOfPoints,
  SpeedClasses,
} from "./acceleration-speed.js";
import { sessionMaxSpeed } from "./max-speed.js";

/** Number of days whose sessions a profile includes, as docs/metrics.md describes. */
export const PROFILE_DAYS = 28;

/** Limits for the maximum speed of a profile, m/s. */
const LEAST_MAX_SPEED = 1;
const MOST_MAX_SPEED = 20;

/** The values that a profile needs from the samples of a session. */
export interface ProfileSpeeds {
  /** The maximum speed that is sustained for 0.5 s, m/s; null below 5 Hz. */
  readonly maxSpeed: number | null;
  /** The two highest accelerations in each speed class. */
  readonly points: readonly ProfilePoint[];
}

/** A profile, or the reason why there is none. */
export interface GatedProfile extends Omit<AccelerationSpeedProfile, "definition"> {
  /** The maximum speed with which the profile must agree, m/s; null if it is unknown. */
  readonly max_speed: number | null;
}

/** The profile of several sessions. */
export interface PooledProfile extends GatedProfile {
  /** Number of sessions with points. */
  readonly sessions: number;
}

/**
 * Computes the values that a profile needs from the samples of a session. They can be stored, and the values of several sessions
 * can be pooled later.
 *
 * @throws AsiError `BAD_ARGUMENT` for invalid samples; `BAD_OPTION`
 */
export const profileSpeeds = (
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions = {},
): ProfileSpeeds => ({
  maxSpeed: sessionMaxSpeed(samples, options),
  points: highestOfSessions([samples], options),
});

/**
 * Computes the profile of a session, which must agree with a maximum speed. It never throws.
 *
 * @param maxSpeed maximum speed of the person, m/s; default: that of the same session
 */
export const sessionProfile = (speeds: ProfileSpeeds, maxSpeed = speeds.maxSpeed): GatedProfile =>
  gatedProfile(speeds.points, speeds.maxSpeed === null ? null : maxSpeed);

/**
 * Computes the profile from the sessions of the 28 days up to a day.
 *
 * @param sessions in chronological order; `day` is `YYYY-MM-DD`; sessions on other days are not used
 * @param options `to`: the last day, `YYYY-MM-DD`; `maxSpeed`: maximum speed of the season, m/s, or null
 * @throws AsiError `BAD_ARGUMENT` if a day is not an existing date as `YYYY-MM-DD`
 */
export function pooledProfile(
  sessions: readonly { readonly day: string; readonly points: readonly ProfilePoint[] }[],
  { to, maxSpeed }: { to: string; maxSpeed: number | null },
): PooledProfile {
  const last = dayNumber(to);
  const pooled = sessions.filter(({ day, points }) => {
    const daysBefore = last - dayNumber(day);
    return points.length > 0 && daysBefore >= 0 && daysBefore < PROFILE_DAYS;
  });
  const classes = new SpeedClasses();
  for (const { speed, acceleration } of pooled.flatMap(({ points }) => points)) {
    classes.add(speed, acceleration);
  }
  return { ...gatedProfile(classes.points, maxSpeed), sessions: pooled.length };
}

function gatedProfile(points: readonly ProfilePoint[], maxSpeed: number | null): GatedProfile {
  const isKnown = maxSpeed !== null && maxSpeed >= LEAST_MAX_SPEED;
  const limit = Math.min(isKnown ? maxSpeed : MOST_MAX_SPEED, MOST_MAX_SPEED);
  const { profile, reason, top_speed } = profileOfPoints(points, limit);
  if (isKnown) return { profile, reason, top_speed, max_speed: limit };
  return {
    profile: null,
    reason:
      maxSpeed === null
        ? "no maximum speed; 1 s with at least 5 samples a second is needed"
        : `maximum speed ${maxSpeed} m/s; at least ${LEAST_MAX_SPEED} m/s is needed`,
    top_speed,
    max_speed: maxSpeed,
  };
}
