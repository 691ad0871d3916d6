import {
  type AccelerationSpeedProfile,
  type MetricSamples,
  type MetricsOptions,
  type SeasonMaxSpeed,
  seasonMaxSpeed,
  sessionMaxSpeed,
} from "../metrics/index.js";
import { highestOfSessions, profileOfPoints, SpeedClasses } from "../metrics/person/acceleration-speed.js";
import type { SeasonPlayer, SessionSpeeds } from "./season.js";

const DAY_MS = 86_400_000;

/** Number of days whose sessions a profile pools, as docs/metrics.md describes. */
const PROFILE_DAYS = 28;

/** Limits of the maximum speed of a profile, m/s. */
const LEAST_MAX_SPEED = 1;
const MOST_MAX_SPEED = 20;

/** Computes the speeds of a member, or of other samples, in the whole session. */
export function sessionSpeeds(
  { recordings }: { readonly recordings: readonly { readonly samples: MetricSamples }[] },
  options: Pick<MetricsOptions, "preset">,
): SessionSpeeds {
  const samples = recordings.map((recording) => recording.samples);
  return { maxSpeed: sessionMaxSpeed(samples, options), points: highestOfSessions([samples], options) };
}

/** The speeds of a player on the day of a session. */
export interface SpeedsOfPlayer {
  /** Of the 365 days up to this day; null if no session has a maximum speed. */
  readonly season: SeasonMaxSpeed | null;
  /** Of the sessions of the 28 days up to this day. */
  readonly profile: AccelerationSpeedProfile["profile"];
  /** Null if there is a profile. */
  readonly reason: string | null;
  /** Number of these sessions with points. */
  readonly sessions: number;
}

/**
 * The maximum speed of the season and the profile of the last 28 days.
 *
 * @param index index of the session; earlier sessions are also used
 * @param dayOf the local calendar day of an instant, `YYYY-MM-DD`
 */
export function seasonSpeeds(
  { entries }: SeasonPlayer,
  index: number,
  dayOf: (ms: number) => string,
): SpeedsOfPlayer {
  const known = entries.slice(0, index + 1).flatMap(({ session, row }) => {
    return row?.speeds === undefined ? [] : [{ day: dayOf(session.startMs), ...row.speeds }];
  });
  const to = known.at(-1)?.day;
  if (to === undefined) return { season: null, profile: null, reason: "no session with speeds", sessions: 0 };
  const season = seasonMaxSpeed(
    known.flatMap(({ day, maxSpeed }) => (maxSpeed === null ? [] : [{ day, maxSpeed }])),
    to,
  );
  const isRecent = (day: string) => Date.parse(to) - Date.parse(day) < PROFILE_DAYS * DAY_MS;
  const pooled = known.filter(({ day, points }) => points.length > 0 && isRecent(day));
  const sessions = pooled.length;
  if (season === null) {
    const reason = "no maximum speed; 1 s with at least 5 samples a second is needed";
    return { season, profile: null, reason, sessions };
  }
  const { max_speed: maxSpeed } = season;
  if (maxSpeed < LEAST_MAX_SPEED) {
    const reason = `maximum speed ${maxSpeed} m/s; at least ${LEAST_MAX_SPEED} m/s is needed`;
    return { season, profile: null, reason, sessions };
  }
  const classes = new SpeedClasses();
  for (const { speed, acceleration } of pooled.flatMap(({ points }) => points)) {
    classes.add(speed, acceleration);
  }
  const { profile, reason } = profileOfPoints(classes.points, Math.min(maxSpeed, MOST_MAX_SPEED));
  return { season, profile, reason, sessions };
}
