import {
  type AccelerationSpeedProfile,
  type MetricSamples,
  type MetricsOptions,
  pooledProfile,
  profileSpeeds,
  type SeasonMaxSpeed,
  seasonMaxSpeed,
} from "../metrics/index.js";
import type { SeasonPlayer, SessionSpeeds } from "./season.js";

/** Computes the speeds of a member, or of other samples, over the whole session or within limits. */
export const sessionSpeeds = (
  { recordings }: { readonly recordings: readonly { readonly samples: MetricSamples }[] },
  options: Pick<MetricsOptions, "preset" | "from" | "to" | "periods">,
): SessionSpeeds =>
  profileSpeeds(
    recordings.map((recording) => recording.samples),
    options,
  );

/** The speeds of a player on the day of a session. */
export interface SpeedsOfPlayer {
  /** Maximum speed of the 365 days up to this day; null if no session has a maximum speed. */
  readonly season: SeasonMaxSpeed | null;
  /** Profile from the sessions of the 28 days up to this day. */
  readonly profile: AccelerationSpeedProfile["profile"];
  /** The reason why there is no profile; null if there is one. */
  readonly reason: string | null;
  /** Number of the profile's sessions that have points. */
  readonly sessions: number;
}

/**
 * Computes the maximum speed of the season and the profile of the last 28 days.
 *
 * @param index index of the session; earlier sessions are also used
 * @param dayOf returns the local calendar day of an instant, `YYYY-MM-DD`
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
  const { profile, reason, sessions } = pooledProfile(known, { to, maxSpeed: season?.max_speed ?? null });
  return { season, profile, reason, sessions };
}
